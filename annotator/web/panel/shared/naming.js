/** How texts, labels, numbers, moments and the words of a text are named on screens and aloud. */
import { _, several, writtenMoment } from "../words/language.js";
import { cutSpan, sizeOf } from "./annotation.js";

/**
 * 32 hexadecimal digits, with or without the dashes of a UUID, also of a changed version: nobody knows a text by them.
 */
const MADE_BY_A_MACHINE = /^[0-9a-f]{8}(-?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}(~.*)?$/i;
const TITLE_CHARS = 40;

/** @param {string} key */
export const isMachineKey = (key) => MADE_BY_A_MACHINE.test(key);

/**
 * The beginning of a text in whole words; a script that parts no words is cut between characters.
 * @param {string} text
 * @param {number} limit
 */
export function firstWords(text, limit) {
  const words = text
    .slice(0, 4 * limit)
    .trim()
    .replace(/\s+/g, " ");
  if (words.length <= limit) return words;
  const cut = words.slice(0, limit + 1);
  const end = cut.lastIndexOf(" ");
  return `${end > limit / 2 ? cut.slice(0, end) : Array.from(cut).slice(0, -1).join("")}…`;
}

/**
 * A segment as the screens have it: with its text, or cut at its tokens with what stands before each.
 * @typedef {{name: string, text?: string, tokens?: string[], before?: string[], selectable?: boolean,
 *   is_selectable?: boolean}} Named
 */

/**
 * A segment's text; some screens get it cut at its tokens.
 * @param {Named} segment
 */
const textOf = ({ text, tokens, before }) =>
  text ?? (tokens ?? []).map((token, place) => (before?.[place] ?? "") + token).join("");
/** @param {Named} segment */
const isSelectable = ({ selectable, is_selectable: sameOfOthers }) => selectable ?? sameOfOthers;
/**
 * What an instance is about, several of which may share one text; as the lists of the server say it.
 * @param {Named} one
 */
const isAsked = (one) =>
  ["query", "question", "claim", "hypothesis"].includes(one.name) || !(isSelectable(one) || one.name === "choices");

/**
 * Many claims may be about one abstract, so they are called by their own words; whose key says more has it on the
 * screen.
 * @param {{key: string, segments: Named[]}} instance
 */
export function nameOf({ key, segments }) {
  const asked = segments.find((one) => isAsked(one) && textOf(one).trim());
  if (asked) return firstWords(textOf(asked), TITLE_CHARS);
  if (!isMachineKey(key)) return key;
  const said =
    segments.find((one) => isSelectable(one) && textOf(one).trim()) ?? segments.find((one) => textOf(one).trim());
  return said ? firstWords(textOf(said), TITLE_CHARS) : key;
}

/**
 * In a list, where the beginning of the text stands beside it: a key that says something.
 * @param {string} key
 */
export const shownKey = (key) => (isMachineKey(key) ? "" : key);

// ---- Labels that are single letters name choices: they are written as such, since sets have letters too

const LETTER = /^[A-Z]$/;

/**
 * What the choices of an instance say of a letter, or "".
 * @param {string} letter
 * @param {Instance|null|undefined} instance
 */
function wordsOf(letter, instance) {
  const choices = instance?.segments?.find(({ name }) => name === "choices")?.text ?? "";
  return new RegExp(`^[ \\t]*\\(?${letter}[.):][ \\t]*(.+)$`, "m").exec(choices)?.[1].trim() ?? "";
}

/**
 * A label as it is written: "positive", "B) painting".
 * @param {string} label
 * @param {Instance|null|undefined} instance
 */
export function labelWords(label, instance) {
  return LETTER.test(label) ? `${label}) ${wordsOf(label, instance)}`.trim() : label;
}

/**
 * A label as it is spoken: "label positive", "choice B, painting".
 * @param {string} label
 * @param {Instance|null|undefined} instance
 */
export function spokenLabel(label, instance) {
  if (!LETTER.test(label)) return _("label {label}", { label });
  const words = wordsOf(label, instance);
  return words ? _("choice {label}, {words}", { label, words }) : _("choice {label}", { label });
}

// ---- What is said of words of the text, for those who hear it

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
export const countTokens = (count) => counted(count, "token");

/**
 * The words of some spans in quotation marks.
 * @param {import("./tokens.js").TokenMap} map
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
 * "3 tokens: “the room was”"
 * @param {TokenMap} map
 * @param {Span[]} spans
 */
export const rangeWords = (map, spans) =>
  _("{count}: {words}", { count: countTokens(sizeOf(spans)), words: quoted(map, spans) });

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

/** @param {string|null|undefined} moment */
export const when = (moment) => (moment ? writtenMoment(moment) : null);
