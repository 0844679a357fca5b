/**
 * Scores of one review: immutable values and plain functions, no DOM and no network. A *step* is one score that is
 * asked for: for each set that is not carried its sufficiency, then its compactness; at the end the comprehensiveness
 * of the whole.
 */
import { _ } from "../words/language.js";
import { letterOf } from "../shared/model.js";

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

/**
 * Whether two say the same.
 * @param {Partial<Scores>|null|undefined} a
 * @param {Partial<Scores>|null|undefined} b
 */
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
