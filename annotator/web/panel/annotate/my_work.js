/** My work: the list of what one has submitted, proposed to discard or skipped. */
import { _ } from "../words/language.js";
import { openOwnList } from "../shared/own_list.js";
import { counted } from "../shared/spoken.js";

const STATES = {
  submitted: _("Submitted"),
  accepted: _("Accepted"),
  returned: _("Returned"),
  proposed: _("Proposed to discard"),
  discarded: _("Discarded"),
  skipped: _("Skipped"),
  draft: _("Draft"),
  "passed on": _("Given to another annotator"),
};

/** @type {import("../shared/own_list.js").Words<MyWorkRow>} */
const WORDS = {
  title: _("My work"),
  search: _("Search my work for words or a key"),
  count: (n) => counted(n, "text"),
  states: STATES,
  none: _("There is nothing here yet. What you submit, skip or propose to discard is listed here."),
  noMatch: _("No text matches. Change the search, or choose all states."),
  facts: (row) => [row.may_reopen && _("can be reopened")],
  lines: (row) => row.lines,
};

/**
 * @param {HTMLElement} root
 * @param {(asked: import("../shared/own_list.js").Asked) => Promise<Answer<OwnPage<MyWorkRow>>>} fetchPage
 * @param {(row: MyWorkRow) => void} onopen
 */
export const openMyWork = (root, fetchPage, onopen) => openOwnList(root, WORDS, fetchPage, onopen);
