/**
 * The button that stands for a rationale set: its letter in its colour, how it is underlined, how many tokens it has.
 */
import { _ } from "../words/language.js";
import { element, setText } from "./dom.js";
import { letterOf } from "./model.js";
import { lookOf } from "./palette.js";
import { counted } from "./spoken.js";

/**
 * The letter in the set's colour.
 * @param {number} index
 * @param {boolean} dark
 */
export function badgeOf(index, dark) {
  return element("span", { class: "badge", style: `--set:${lookOf(index, dark).color}` }, letterOf(index));
}

/**
 * "Set A, 4 tokens"
 * @param {number} index
 * @param {number} size
 */
export const setWords = (index, size) =>
  _("Set {letter}, {size}", { letter: letterOf(index), size: counted(size, "token") });

/**
 * @param {number} index
 * @param {Object<string, any>} properties
 * @param {...Child} more  what follows the count
 */
export function makeChip(index, properties, ...more) {
  const sample = element("span", { class: "sample", "aria-hidden": "true" }, "\u00a0\u00a0\u00a0\u00a0\u00a0");
  const count = element("span", { class: "count" }, "0");
  // The line lies under the number, so that a chip takes little room and keeps its width while one marks.
  const root = element(
    "button",
    { type: "button", class: "chip", role: "radio", "data-set": index, ...properties },
    element("span", { class: "badge" }, letterOf(index)),
    element("span", { class: "tally" }, sample, count),
    ...more,
  );
  return { root, sample, count };
}

/**
 * @param {Pick<ReturnType<typeof makeChip>, "root"|"sample"|"count">} chip
 * @param {{index: number, count: number, size: number, chosen: boolean, dark: boolean}} state  count: of all sets
 */
export function paintChip(chip, { index, count, size, chosen, dark }) {
  const { color, style } = lookOf(index, dark, count);
  chip.root.style.setProperty("--set", color);
  chip.sample.style.textDecorationStyle = style;
  setText(chip.count, String(size));
  chip.root.setAttribute("aria-checked", String(chosen));
  chip.root.tabIndex = chosen ? 0 : -1;
}
