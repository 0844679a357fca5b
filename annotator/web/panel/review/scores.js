/**
 * Scores of one review: immutable values, plain functions, and what is said of them; no DOM and no network. A *step*
 * is one score that is asked for: for each set that is not carried its sufficiency, then its compactness; at the end
 * the comprehensiveness of the whole.
 */
import { letterOf } from "../shared/annotation.js";
import { labelWords } from "../shared/naming.js";
import { _ } from "../words/language.js";

/** @typedef {{property: ScoreName, set: number|null}} Step */

/** The scales with the papers' words; the first word stands for 1. @type {Record<ScoreName, string[]>} */
export const SCALES = {
  sufficiency: [_("cannot support the result"), _("not sure"), _("can support the result")],
  compactness: [_("includes redundant tokens"), _("includes disturbances"), _("not sure"), _("concise")],
  comprehensiveness: [_("not comprehensive"), _("not sure"), _("comprehensive")],
};

/** @type {Record<ScoreName, string>} */
const NAMES = {
  sufficiency: _("sufficiency score"),
  compactness: _("compactness score"),
  comprehensiveness: _("comprehensiveness score"),
};

/** The middle of each scale has one word, at 2 or at 3; it must not be taken for the best. */
const UNSURE = _("not sure");

/** @param {ScoreName} property @param {number|null} score */
export const isUnsure = (property, score) => score !== null && SCALES[property][score - 1] === UNSURE;

/**
 * The words of a score that was given; "–" where none was.
 * @param {ScoreName} property
 * @param {number|null} score
 */
export const wordsOf = (property, score) => (score === null ? "–" : SCALES[property][score - 1]);

/**
 * "sufficiency score": on the screen the property never stands alone, since its words also name other numbers.
 * @param {ScoreName} property
 */
export const nameOf = (property) => NAMES[property];

/**
 * "set A", or "the whole"
 * @param {number|null} set
 */
export const placeOf = (set) => (set === null ? _("the whole") : _("set {letter}", { letter: letterOf(set) }));

/** @param {Pick<Review, "sets">} work @returns {Step[]} */
export function stepsOf(work) {
  /** @type {Step[]} */
  const sets = work.sets.flatMap((set, index) =>
    set.is_carried
      ? []
      : [
          { property: "sufficiency", set: index },
          { property: "compactness", set: index },
        ],
  );
  return [...sets, { property: "comprehensiveness", set: null }];
}

/**
 * Scores with an entry for each set and nothing missing but the numbers.
 * @param {Partial<Scores>|null} scores
 * @param {number} setCount
 * @returns {Scores}
 */
export function wholeScores(scores, setCount) {
  const given = scores?.sets || [];
  return {
    comprehensiveness: scores?.comprehensiveness ?? null,
    comment: scores?.comment || "",
    sets: Array.from({ length: setCount }, (_, index) => ({
      sufficiency: given[index]?.sufficiency ?? null,
      compactness: given[index]?.compactness ?? null,
      comment: given[index]?.comment || "",
    })),
  };
}

/** @param {Partial<Scores>|null|undefined} a @param {Partial<Scores>|null|undefined} b */
export function sameScores(a, b) {
  if (!a || !b) return false;
  const count = Math.max(a.sets?.length || 0, b.sets?.length || 0);
  return JSON.stringify(wholeScores(a, count)) === JSON.stringify(wholeScores(b, count));
}

/**
 * @param {Scores} scores
 * @param {Step} step
 * @returns {number|null}
 */
export const scoreAt = (scores, { property, set }) =>
  set === null || property === "comprehensiveness" ? scores.comprehensiveness : scores.sets[set][property];

/** @param {Scores} scores @param {number|null} set */
export const commentAt = (scores, set) => (set === null ? scores.comment : scores.sets[set].comment);

/**
 * @param {Scores} scores
 * @param {Step} step
 * @param {number|null} value
 * @returns {Scores}
 */
export function withScore(scores, step, value) {
  return scoreAt(scores, step) === value ? scores : withChange(scores, step.set, { [step.property]: value });
}

/**
 * @param {Scores} scores
 * @param {number|null} set
 * @param {string} comment
 * @returns {Scores}
 */
export function withComment(scores, set, comment) {
  return commentAt(scores, set) === comment ? scores : withChange(scores, set, { comment });
}

/** @param {Scores} scores @param {number|null} set @param {Partial<Scores & SetScore>} change */
function withChange(scores, set, change) {
  if (set === null) return { ...scores, ...change };
  return { ...scores, sets: scores.sets.map((old, index) => (index === set ? { ...old, ...change } : old)) };
}

/**
 * The next step without a score after a place, going round; -1 when every score is given.
 * @param {Step[]} steps
 * @param {Scores} scores
 */
export function nextMissing(steps, scores, after = -1) {
  for (let by = 1; by <= steps.length; by += 1) {
    const at = (after + by) % steps.length;
    if (scoreAt(scores, steps[at]) === null) return at;
  }
  return -1;
}

/**
 * An exact number in words: "8/3 ≈ 2.67", "18/5 = 3.6", "3"; "–" where nothing is defined.
 * @param {string} number
 */
export function exactWords(number) {
  const [above, below = 1] = number.split("/").map(Number);
  if (!Number.isFinite(above / below)) return "–";
  if (below === 1) return String(above);
  return `${number} ${(above * 100) % below === 0 ? "=" : "≈"} ${decimalOf(number)}`;
}

/**
 * An exact number with at most two decimals.
 * @param {string} number
 */
export function decimalOf(number) {
  const [above, below = 1] = number.split("/").map(Number);
  return Number.isFinite(above / below) ? String(Math.round((above / below) * 100) / 100) : "–";
}

// ---- What the screen says about a step, a stop and a decision

/**
 * The question of the step in three parts; the one in the middle is the result, to stand out.
 * @param {ReviewSession} given
 * @returns {[string, string, string]}
 */
export function questionOf({ step, work }) {
  const result = work.result === null ? _("the result") : labelWords(work.result, work.instance) || _("no answer");
  const values = { result: RESULT, place: placeOf(step.set) };
  const [before, after] = sentenceOf(step, work.sets.length > 0, values).split(RESULT);
  return [before, result, after];
}

/** Stands for the result in the sentence until the sentence is cut there; no text holds it. */
const RESULT = "\uFFFC";

/** @param {Step} step @param {boolean} hasSets @param {{result: string, place: string}} values */
function sentenceOf({ property }, hasSets, values) {
  if (property === "sufficiency") return _("Can {result} be inferred from {place} alone?", values);
  if (property === "compactness") return _("Does {result} need every token of {place}?", values);
  if (hasSets) return _("Do the sets contain everything that supports {result}?", values);
  return _("Nothing was marked. Does nothing in the text support {result}?", values);
}

/**
 * Where one stands among the stops of the view.
 * @param {ReviewSession} given
 * @param {number} stop
 * @param {number} chars
 */
export function stopWords({ view, stops, map }, stop, chars) {
  // Isolated, words of any direction do not turn round what stands beside them.
  const words = `\u2068${map.brief([stops[stop]], chars)}\u2069`;
  const values = { words, at: stop + 1, all: stops.length };
  return view === "less" ? _("without “{words}” {at} of {all}", values) : _("“{words}” {at} of {all}", values);
}

/**
 * What a set that is not scored again brings along.
 * @param {CarriedMeans} carried
 */
export const carriedWords = (carried) =>
  _("passed earlier: sufficiency {sufficiency}, compactness {compactness}", {
    sufficiency: decimalOf(carried.sufficiency),
    compactness: decimalOf(carried.compactness),
  });

/** @type {Record<Decision["outcome"], string>} */
const OUTCOMES = { accepted: _("accepted"), returned: _("returned"), discarded: _("discarded") };

/**
 * The outcome of a decided round, by whom, and why.
 * @param {Decision} decision
 * @param {number} round
 * @returns {{title: string, why: string}}
 */
export function decisionWords(decision, round) {
  const { by, outcome } = decision;
  return {
    title:
      by === "gate"
        ? _("Round {round}: {outcome}.", { round, outcome: OUTCOMES[outcome] })
        : _("Round {round}: {outcome} by {person}.", { round, outcome: OUTCOMES[outcome], person: by }),
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
  if (!failed.length) return _("Every mean reaches its threshold.");
  const named = failed.map(({ property, set }) =>
    set === null ? nameOf(property) : _("set {letter}: {score}", { letter: letterOf(set), score: nameOf(property) }),
  );
  return _("Below the threshold: {named}.", { named: named.join("; ") });
}

/**
 * The views of the text: their names, keys, and what they show.
 * @type {[view: import("./session.js").View, label: string, key: string, title: string][]}
 */
export const VIEWS = [
  ["all", _("All sets"), "v", _("The text with all sets")],
  ["alone", _("Set alone"), "o", _("This set only")],
  ["less", _("Less one token"), "t", _("Less one token")],
  ["without", _("Without the sets"), "x", _("Without the sets")],
  ["changes", _("Changes"), "p", _("Changes since the previous round")],
];

/** The list of keys as it is shown to people. @type {KeyGroup[]} */
export const REVIEW_KEYS = [
  [
    _("Scores"),
    [
      ["1 – 4", _("Score and go to the next missing one")],
      ["j", _("Next score")],
      ["k", _("Previous score")],
      ["Del", _("remove the score")],
      ["c", _("Comment on the set or annotation")],
      ["Esc", _("Leave the comment; show all sets")],
    ],
  ],
  [
    _("Views of the text"),
    [
      ["o", _("This set only")],
      ["t", _("Less one token")],
      ["x", _("Without the sets")],
      ["p", _("Changes since the previous round")],
      ["v", _("The text with all sets")],
      ["← →", _("Choose the token to leave out")],
      ["↑ ↓", _("Scroll; also PgUp, PgDn, Home, End, Space")],
      ["f", _("Show or hide the whole question")],
      ["b", _("Back to where you were reading")],
      ["+ −", _("larger or smaller text")],
      ["z", _("Text size and line spacing")],
    ],
  ],
  [
    _("With the mouse"),
    [
      [_("set"), _("Click: its scores; on a number: that score")],
      [_("token"), _("In “Less one token”: click to leave it out")],
    ],
  ],
  [
    _("Work"),
    [
      ["Ctrl+⏎", _("Submit")],
      ["s", _("Skip")],
      ["q", _("Comments, and questions to the lead")],
      ["w", _("Show the model's prediction, if allowed")],
      ["g", _("Show or hide the guidelines")],
      ["Shift + g", _("Scroll the guidelines (Shift + g or Esc: back)")],
      ["m", _("My reviews")],
      ["?", _("this list")],
    ],
  ],
];
