/** What is said of words of the text, for those who hear it: how many they are, and which. Pure. */
import { _, several } from "../words/language.js";
import { cutSpan, sizeOf } from "./model.js";

/** So many characters of a range are said; of a longer one its beginning and its end. */
const SPOKEN_CHARS = 120;

/**
 * A number with its noun: "1 word", "1,200 words".
 * @param {number} count
 * @param {string} noun  written where this is called, for the catalogues are gathered from there
 */
export function counted(count, noun) {
  const one = `{n} ${noun}`;
  return several(one, `${one}s`, count);
}

/**
 * A written number with the sign of percent: "12.5 %".
 * @param {number|string} number
 */
export const inPercent = (number) => _("{number} %", { number });

/** @param {number} count */
export const countWords = (count) => counted(count, "word");

/**
 * The words of some spans in quotation marks.
 * @param {import("./text.js").TokenMap} map
 * @param {Span[]} spans
 */
export function quoted(map, spans) {
  const whole = map.brief(spans, SPOKEN_CHARS);
  if (!whole.endsWith("…")) return `“${whole}”`;
  const tokens = spans.flatMap(([start, end]) => [start, end - 1]);
  const end = map.brief([[tokens[tokens.length - 1], tokens[tokens.length - 1] + 1]], SPOKEN_CHARS);
  return `“${map.brief(spans, SPOKEN_CHARS / 2)} ${end}”`;
}

/**
 * "3 words: “the room was”"
 * @param {TokenMap} map
 * @param {Span[]} spans
 */
export const rangeWords = (map, spans) =>
  _("{count}: {words}", { count: countWords(sizeOf(spans)), words: quoted(map, spans) });

/**
 * The parts of some spans that other spans do not hold.
 * @param {Span[]} spans
 * @param {Span[]} others
 * @returns {Span[]}
 */
export const without = (spans, others) => others.reduce(cutSpan, spans);

/**
 * The parts of some spans that other spans hold too.
 * @param {Span[]} spans
 * @param {Span[]} others
 * @returns {Span[]}
 */
export const within = (spans, others) => without(spans, without(spans, others));
