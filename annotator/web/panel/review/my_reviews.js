/** My reviews: the list of what one has scored, with one's scores and what came of them. */
import { _ } from "../words/language.js";
import { openOwnList } from "../shared/own_list.js";
import { counted } from "../shared/spoken.js";

/** @type {import("../shared/own_list.js").Words<MyReviewRow>} */
const WORDS = {
  title: _("My reviews"),
  search: _("Search my reviews for words or a key"),
  count: (n) => counted(n, "review"),
  states: {
    submitted: _("Not decided yet"),
    accepted: _("Accepted"),
    returned: _("Returned"),
    discarded: _("Discarded"),
    skipped: _("Skipped"),
    draft: _("Draft"),
  },
  none: _(
    "There is nothing here yet. What you score or skip is listed here. Scores can be changed until their round is decided.",
  ),
  noMatch: _("No review matches. Change the search, or choose all states."),
  facts: (row) => [row.round > 1 && _("round {round}", { round: row.round }), row.may_change && _("can be changed")],
  lines: (row) => [...row.scored.map((line) => _("You: {line}", { line })), ...row.lines],
};

/**
 * @param {HTMLElement} root
 * @param {(asked: import("../shared/own_list.js").Asked) => Promise<Answer<OwnPage<MyReviewRow>, object>>} fetchPage
 * @param {(row: MyReviewRow) => void} onopen
 */
export const openMyReviews = (root, fetchPage, onopen) => openOwnList(root, WORDS, fetchPage, onopen);
