/** Which texts are listed: all of them, or by what models predict of them. */
import { _ } from "../words/language.js";

/** @type {[which: string, words: string][]} */
export const WHICH = [
  ["all", _("all texts")],
  ["wrong", _("wrong predictions of …")],
  ["right", _("right predictions of …")],
  ["disagree", _("models disagree")],
  ["won", _("right where another is wrong")],
  ["lost", _("wrong where another is right")],
  ["perturbed", _("changed versions")],
];
export const NEEDS_OTHER = new Set(["won", "lost"]);
export const NEEDS_MODEL = new Set(["wrong", "right", "won", "lost"]);

/** The runs that are models' own answers. @template {{method: string}} R @param {R[]} runs */
export const answeringOf = (runs) => runs.filter(({ method }) => !method);

/**
 * Which texts of an address can be listed; what of it cannot, in words. All texts stand for the predictions of a model
 * that is gone (isAll): those of another one would be the answer to another question.
 * @param {URLSearchParams} asked
 * @param {{run: number, method: string}[]} runs
 */
export function whichOf(asked, runs) {
  const which = asked.get("which") || "all";
  const models = answeringOf(runs).map(({ run }) => String(run));
  const answers = modelOf(asked.get("answers"), models, _("the predictions"));
  const others = models.filter((run) => run !== (answers.run || models[0]));
  const other = modelOf(asked.get("other"), others, _("the predictions of the other model"));
  const known = WHICH.find(([value]) => value === which);
  const lacks = (NEEDS_MODEL.has(which) && !answers.run) || (NEEDS_OTHER.has(which) && !other.run);
  const gone = [...answers.gone, ...other.gone];
  if (!known) gone.push(_("the choice of texts “{named}”", { named: shortened(which) }));
  else if (lacks && !gone.length) gone.push(_("{texts} (too few models have predictions)", { texts: known[1] }));
  const isAll = !known || lacks;
  return { which: isAll ? "all" : which, answers: answers.run, other: other.run, isAll, gone };
}

/**
 * The model that an address names, or the first where it names none; "" where there is none.
 * @param {string|null} named
 * @param {string[]} models
 * @param {string} words
 */
function modelOf(named, models, words) {
  if (!named) return { run: models[0] ?? "", gone: [] };
  if (models.includes(named)) return { run: named, gone: [] };
  return { run: "", gone: [_("{words} (run {named})", { words, named: shortened(named) })] };
}

export const shortened = (/** @type {string} */ text) => (text.length > 40 ? `${text.slice(0, 39)}…` : text);
