/** What a text is called where there is room for a few words: its key, or its first words where a machine made the key. */

/** 32 hexadecimal digits, with or without the dashes of a UUID, also of a changed version: nobody knows a text by them. */
const MADE_BY_A_MACHINE = /^[0-9a-f]{8}(-?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}(~.*)?$/i;
const TITLE_CHARS = 40;

export const isMachineKey = (key) => MADE_BY_A_MACHINE.test(key);

/** The beginning of a text in whole words; a script that parts no words is cut between characters. */
export function firstWords(text, limit) {
  const words = text.slice(0, 4 * limit).trim().replace(/\s+/g, " ");
  if (words.length <= limit) return words;
  const cut = words.slice(0, limit + 1);
  const end = cut.lastIndexOf(" ");
  return `${end > limit / 2 ? cut.slice(0, end) : Array.from(cut).slice(0, -1).join("")}…`;
}

/** @param {{key: string, segments: Array<{selectable?: boolean, is_selectable?: boolean, text: string}>}} instance */
export function nameOf({ key, segments }) {
  if (!isMachineKey(key)) return key;
  const said = segments.find(({ selectable, is_selectable: is, text }) => (selectable || is) && text.trim()) ?? segments.find(({ text }) => text.trim());
  return said ? firstWords(said.text, TITLE_CHARS) : key;
}

/** In a list, where the beginning of the text stands beside it: a key that says something. */
export const shownKey = (key) => (isMachineKey(key) ? "" : key);
