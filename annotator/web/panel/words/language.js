/**
 * In which language the panel speaks: the English of its sources, or the words that the page's document brought along
 * (annotator/web/routes/documents.py). `python -m tools.catalogues` gathers the sentences and writes those words.
 */

/** @type {Record<string, string>} */
const WORDS = /** @type {any} */ (globalThis).annotatorWords ?? {};
const VALUE = /\{(\w+)\}/g;

/** What stands in the place of a value in braces. @typedef {Record<string, string|number>} Values */

/**
 * A sentence in the language of who reads it, with its values: _("Set {letter} is empty.", { letter: "A" }).
 * @param {string} sentence  as it is in English
 * @param {Values} [values]
 */
export const _ = (sentence, values = {}) =>
  (WORDS[sentence] ?? sentence).replace(VALUE, (all, name) => String(values[name] ?? all));

/**
 * A sentence that depends on a number, which is its value {n}: several("{n} word", "{n} words", 1200) is "1,200 words".
 * @param {string} single
 * @param {string} plural
 * @param {number} n
 * @param {Values} [values]
 */
export const several = (single, plural, n, values = {}) =>
  _(WORDS[single] === undefined && n !== 1 ? plural : single, { n: n.toLocaleString("en"), ...values });
