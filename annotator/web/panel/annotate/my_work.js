/** My work: the list of what one has submitted, proposed to discard or skipped. */
import { openOwnList } from "../shared/own_list.js";

const STATES = {
  submitted: "Submitted",
  accepted: "Accepted",
  returned: "Returned",
  proposed: "Proposed to discard",
  discarded: "Discarded",
  skipped: "Skipped",
  draft: "Draft",
  "passed on": "Given to another annotator",
};

/** @type {import("../shared/own_list.js").Words<MyWorkRow>} */
const WORDS = {
  title: "My work",
  search: "Search my work for words or a key",
  one: "text",
  states: STATES,
  none: "There is nothing here yet. What you submit, skip or propose to discard is listed here.",
  noMatch: "No text matches. Change the search, or choose all states.",
  facts: (row) => [row.may_reopen && "can be reopened"],
  lines: (row) => row.lines,
};

/**
 * @param {HTMLElement} root
 * @param {(asked: import("../shared/own_list.js").Asked) => Promise<Answer<OwnPage<MyWorkRow>>>} fetchPage
 * @param {(row: MyWorkRow) => void} onopen
 */
export const openMyWork = (root, fetchPage, onopen) => openOwnList(root, WORDS, fetchPage, onopen);
