/** What the review screen says about a step, a stop and a decision. Pure. */
import { labelWords } from "../shared/choices.js";
import { letterOf } from "../shared/model.js";
import { decimalOf, nameOf, placeOf } from "./scores.js";

/**
 * The question of the step in three parts; the one in the middle is the result, to stand out.
 * @param {ReviewSession} given
 * @returns {[string, string, string]}
 */
export function questionOf({ step, work }) {
  const result = work.result === null ? "the result" : labelWords(work.result, work.instance) || "no answer";
  const place = placeOf(step.set);
  if (step.property === "sufficiency") return ["Can ", result, ` be inferred from ${place} alone?`];
  if (step.property === "compactness") return ["Does ", result, ` need every token of ${place}?`];
  if (work.sets.length) return ["Do the sets together hold everything that supports ", result, "?"];
  return ["No rationale was marked. Is there really nothing in the text that supports ", result, "?"];
}

/**
 * Keeps words of any direction from turning round what stands beside them.
 * @param {string} words
 */
const isolated = (words) => `\u2068${words}\u2069`;

/**
 * Where one stands among the stops of the view.
 * @param {ReviewSession} given
 * @param {number} stop
 * @param {number} chars
 */
export function stopWords({ view, stops, map }, stop, chars) {
  const words = isolated(map.brief([stops[stop]], chars));
  const place = `${stop + 1} of ${stops.length}`;
  return view === "less" ? `without “${words}” ${place}` : `“${words}” ${place}`;
}

/**
 * What a set that is not scored again brings along.
 * @param {CarriedMeans} carried
 */
export const carriedWords = (carried) =>
  `passed in an earlier round: sufficiency score ${decimalOf(carried.sufficiency)}, compactness score ${decimalOf(carried.compactness)}`;

/** @type {Record<Decision["outcome"], (round: number) => string>} */
const OUTCOMES = {
  accepted: (round) => `Accepted in round ${round}`,
  returned: (round) => `Returned to the annotator after round ${round}`,
  discarded: (round) => `Discarded after round ${round}`,
};

/**
 * The outcome of a decided round, by whom, and why.
 * @param {Decision} decision
 * @param {number} round
 * @returns {{title: string, why: string}}
 */
export function decisionWords(decision, round) {
  const by = decision.by === "gate" ? "" : ` by ${decision.by}`;
  return {
    title: `${OUTCOMES[decision.outcome](round)}${by}.`,
    why: decision.reason || failureWords(decision.findings),
  };
}

/**
 * Which means fell short, in a sentence.
 * @param {Finding[]} findings
 */
function failureWords(findings) {
  const failed = findings
    .filter((finding) => !finding.passes)
    .sort((a, b) => (a.set ?? Infinity) - (b.set ?? Infinity));
  if (!findings.length) return "";
  if (!failed.length) return "Every mean reaches its threshold.";
  const named = failed.map(({ property, set }) => (set === null ? "" : `set ${letterOf(set)}: `) + nameOf(property));
  return `Below the threshold: ${named.join("; ")}.`;
}

/**
 * The views of the text: their names, keys, and what they show.
 * @type {[view: import("./session.js").View, label: string, key: string, title: string][]}
 */
export const VIEWS = [
  ["all", "All sets", "v", "The text with all sets (also Esc)"],
  ["alone", "Set alone", "o", "Only this set; the rest fades"],
  ["less", "Less one token", "t", "This set with one token left out; ← → choose another one"],
  ["without", "Without sets", "x", "The text with the sets' tokens blanked"],
  ["changes", "Changes", "p", "What differs from the previous round, token by token"],
];

/** The list of keys as it is shown to people. @type {KeyGroup[]} */
export const REVIEW_KEYS = [
  [
    "Scores",
    [
      ["1 – 4", "give the score, and go to the next missing one"],
      ["j", "next score"],
      ["k", "previous score"],
      ["Del", "remove the score"],
      ["c", "comment on the set, or on the annotation"],
      ["Esc", "leave the comment; show all sets"],
    ],
  ],
  [
    "Views of the text",
    [
      ["o", "the set alone"],
      ["t", "the set less one token"],
      ["x", "the text without the sets"],
      ["p", "what has changed since the previous round"],
      ["v", "the text with all sets"],
      ["← →", "another token to leave out, or another part of the set"],
      ["↑ ↓", "scroll; also PgUp, PgDn, Home, End, Space"],
      ["f", "unfold or fold the question, when it is out of sight"],
      ["b", "back to where you were reading before a click on the map"],
      ["+ −", "larger or smaller text"],
      ["z", "text size and line spacing"],
    ],
  ],
  [
    "With the mouse",
    [
      ["set", "a click goes to its scores; on a number, to that score"],
      ["token", "in “Less one token”: a click leaves this one out"],
    ],
  ],
  [
    "Work",
    [
      ["Ctrl+⏎", "submit and go to the next one"],
      ["s", "skip for now"],
      ["q", "ask the lead; comments on this text"],
      ["w", "what the project's model answers, where the lead allows it"],
      ["g", "guidelines beside the text: open, close"],
      ["Shift + g", "go into them, to scroll by keys; back: Shift + g or Esc"],
      ["m", "my reviews"],
      ["?", "this list"],
    ],
  ],
];
