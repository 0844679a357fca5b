/**
 * Labels that are single letters name the choices of a question; standing alone they would read as the names of
 * rationale sets. So they are written as choices are, "B) painting", with the words that the text gives for them.
 */
import { _ } from "../words/language.js";

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
