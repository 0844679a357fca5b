/**
 * In which language the panel speaks: the English of its sources, or the words that the page's document brought along
 * (annotator/web/routes/documents.py). `python -m tools.catalogues` gathers the sentences and writes those words.
 */

/** @type {Record<string, string>} */
let words = /** @type {any} */ (globalThis).annotatorWords ?? {};
/** "en" or "zh", as the document says; a test without a document speaks English. */
const LANGUAGE = globalThis.document?.documentElement.lang || "en";
const VALUE = /\{(\w+)\}/g;

/** What stands in the place of a value in braces. @typedef {Record<string, string|number>} Values */

/**
 * A sentence in the language of who reads it, with its values: _("Set {letter} is empty.", { letter: "A" }).
 * @param {string} sentence  as it is in English
 * @param {Values} [values]
 */
export const _ = (sentence, values = {}) =>
  (words[sentence] ?? sentence).replace(VALUE, (all, name) => String(values[name] ?? all));

/**
 * A sentence that depends on a number, which is its value {n}: several("{n} word", "{n} words", 1200) is "1,200 words".
 * @param {string} single
 * @param {string} plural
 * @param {number} n
 * @param {Values} [values]
 */
export const several = (single, plural, n, values = {}) =>
  _(words[single] === undefined && n !== 1 ? plural : single, { n: n.toLocaleString("en"), ...values });

/**
 * Words in one line, with commas, and before the last one what connects it: as `listed` of annotator/language.py.
 * @param {string[]} given
 * @param {""|"and"} [last]
 */
export function listed(given, last = "") {
  const comma = _(", ");
  if (!last || given.length < 2) return given.join(comma);
  return _("{before} and {word}", { before: given.slice(0, -1).join(comma), word: given[given.length - 1] });
}

/**
 * What else is to be said in the same sentence, behind commas; what is null, false or empty is left out.
 * @param {Array<string|null|undefined|false>} clauses
 */
export const joined = (...clauses) => clauses.filter(Boolean).join(LANGUAGE === "zh" ? "，" : ", ");

/**
 * Facts in one line, with dots between them; what is null, false or empty is left out.
 * @param {...(string|number|boolean|null|undefined)} facts
 */
export const dotted = (...facts) => facts.filter(Boolean).join(" · ");

/** Chinese stops, which are as wide as a character, so that no space is written behind them; as in language.py. */
const WIDE_STOP = /[。！？；：，][”）*]*$/u;

/**
 * Whole sentences, one after another; what is null, false or empty is left out: as `together` of annotator/language.py.
 * @param {Array<string|null|undefined|false>} sentences
 */
export const together = (...sentences) =>
  sentences
    .flatMap((sentence) => sentence || [])
    .reduce((one, other) => one + (!one || WIDE_STOP.test(one) || other.startsWith("（") ? "" : " ") + other, "");

/**
 * A moment in the time zone of the browser, as the pages write it: 2026-11-24 13:07.
 * @param {string} moment
 */
export const writtenMoment = (moment) =>
  new Date(moment).toLocaleString("sv", { dateStyle: "short", timeStyle: "short" });

/**
 * What goes into files for programs and for papers is English, whoever makes them.
 * @template T
 * @param {() => T} write  says all its sentences before it answers
 */
export function inEnglish(write) {
  const before = words;
  words = {};
  try {
    return write();
  } finally {
    words = before;
  }
}
