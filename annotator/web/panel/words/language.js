/**
 * In which language the panel speaks: the English of its sources, or the words that the page's document brought along
 * (annotator/web/routes/documents.py). `python -m tools.catalogues` gathers the sentences and writes those words.
 */

/** @type {Record<string, string>} */
let words = /** @type {any} */ (globalThis).annotatorWords ?? {};
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
 * Words in one line, with commas.
 * @param {string[]} given
 */
export const listed = (given) => given.join(_(", "));

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
