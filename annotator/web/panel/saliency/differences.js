/** What changes from the stored text to the typed one: the answer, and the score of each token that both have. */
import { _ } from "../words/language.js";
import { signed } from "./written_numbers.js";

/** @typedef {{word: string, before: number, after: number}} TokenDifference */

/**
 * How a model's answer changes: the probability of the label that it gives the stored text.
 * @param {HeatPanel["answer"]} before
 * @param {HeatPanel["answer"]} after
 * @returns {string}  "" where one of them is not known
 */
export function answerWords(before, after) {
  if (!before || !after) return "";
  const [p, q] = [before.probabilities[before.label], after.probabilities[before.label]];
  if (p === undefined || q === undefined) return `${before.label} → ${after.label}`;
  const points = Math.round(100 * q) - Math.round(100 * p);
  const size = `${points > 0 ? "+" : "−"}${Math.abs(points)}`;
  const values = {
    label: before.label,
    before: Math.round(100 * p),
    after: Math.round(100 * q),
    change: points === 0 ? _("no change") : _("{change} points", { change: size }),
  };
  if (after.label === before.label) return _("{label} {before} % → {after} % ({change})", values);
  return _("{label} {before} % → {after} % ({change}), now {other}", { ...values, other: after.label });
}

/**
 * The tokens that stand in both texts, in the same place and with the same characters, whose scores there differ; the
 * largest change first.
 * @param {Pick<HeatPanel, "scores"|"label">} before
 * @param {Pick<HeatPanel, "scores"|"label">} after
 * @param {{aligned: (number|null)[], own: string[], typed: string[]}} texts  the tokens of both, that can be marked
 * @returns {TokenDifference[]|null}  null where the maps cannot be compared: without scores, or of two labels
 */
export function differencesOf(before, after, { aligned, own, typed }) {
  if (!before.scores || !after.scores || before.label !== after.label) return null;
  return aligned
    .flatMap((place, token) => {
      const [from, to] = [place === null ? null : (before.scores?.[place] ?? null), after.scores?.[token] ?? null];
      if (place === null || from === null || to === null || own[place] !== typed[token]) return [];
      return from === to ? [] : [{ word: typed[token], before: from, after: to }];
    })
    .sort((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before));
}

/**
 * How many tokens of the typed text are new, and how many of the stored one are gone.
 * @param {{aligned: (number|null)[], own: string[], typed: string[]}} texts
 */
export function countsOf({ aligned, own, typed }) {
  const kept = aligned.filter((place, token) => place !== null && own[place] === typed[token]).length;
  return { added: typed.length - kept, gone: own.length - kept };
}

/** @param {TokenDifference} difference */
export const differenceWords = ({ before, after }) =>
  `${signed(before)} → ${signed(after)} (${signed(after - before)})`;
