/**
 * What a text is called where there is room for a few words: what is asked of it, else its key, or its first words
 * where a machine made the key.
 */

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
