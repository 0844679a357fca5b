/** My reviews: the list of what one has scored, with one's scores and what came of them. */
import { openOwnList } from "../shared/own_list.js";
import { counted } from "../shared/spoken.js";

/** @type {import("../shared/own_list.js").Words<MyReviewRow>} */
const WORDS = {
  title: "My reviews",
  search: "Search my reviews for words or a key",
  count: (n) => counted(n, "review"),
  states: {
    submitted: "Not decided yet",
    accepted: "Accepted",
    returned: "Returned",
    discarded: "Discarded",
    skipped: "Skipped",
    draft: "Draft",
  },
  none: "There is nothing here yet. What you score or skip is listed here. Scores can be changed until their round is decided.",
  noMatch: "No review matches. Change the search, or choose all states.",
  facts: (row) => [row.round > 1 && `round ${row.round}`, row.may_change && "can be changed"],
  lines: (row) => [...row.scored.map((line) => `You: ${line}`), ...row.lines],
};

/**
 * @param {HTMLElement} root
 * @param {(asked: import("../shared/own_list.js").Asked) => Promise<Answer<OwnPage<MyReviewRow>, object>>} fetchPage
 * @param {(row: MyReviewRow) => void} onopen
 */
export const openMyReviews = (root, fetchPage, onopen) => openOwnList(root, WORDS, fetchPage, onopen);
