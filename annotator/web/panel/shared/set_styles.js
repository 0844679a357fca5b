/**
 * How rationale sets look: their colours, underlines and lanes, the button of a set, and gold sets below the words.
 *
 * Nine colours for each theme, all at least 4.5 : 1 against the background (they also carry the chips' letters). The
 * first six differ by 15 or more (CIE76) under simulated deutan, protan and tritan vision (Machado 2009); nine cannot,
 * which is why each set also has a letter, a line style and a lane of its own.
 */
import { _ } from "../words/language.js";
import { letterOf } from "./annotation.js";
import { element, inline, pressable, setText } from "./dom.js";
import { counted } from "./naming.js";

const LIGHT = ["#1A5FE0", "#C84B00", "#00664F", "#8E2A8B", "#6E1B0C", "#161B75", "#0A78C2", "#856800", "#3F4450"];
const DARK = ["#8AB4FF", "#FF7A33", "#4FE39B", "#D07CC0", "#FFE14D", "#6485FF", "#C9FBE0", "#E8615A", "#D9DDE8"];
const STYLES = ["solid", "dashed", "dotted", "double", "wavy", "solid", "dashed", "dotted", "double"];
const NARROW = ["solid", "dashed", "dotted", "solid", "dashed", "dotted", "solid", "dashed", "dotted"];

/** Pixels from the baseline to the first underline, between two underlines, and all the room there is. */
const FIRST_MARK_LANE = 4;
const MARK_LANE = 3.2;
const ROOM = 15;

export const SETS_WITH_LOOKS = LIGHT.length;

/**
 * @param {number} [count]  how many sets there are: with more than five there is no room for broad styles
 * @param {number} index
 * @param {boolean} dark
 * @returns {{color: string, style: string}}
 */
export function lookOf(index, dark, count = 1) {
  const place = index % SETS_WITH_LOOKS;
  const style = count > 5 ? NARROW[place] : STYLES[place];
  return { color: (dark ? DARK : LIGHT)[place], style };
}

/** Patterns that tell sets of one colour apart. @param {number} nth */
export const styleOf = (nth) => STYLES[nth % STYLES.length];

/**
 * Distance of a set's underline from the baseline; with more than five sets the lanes move together.
 * @param {number} index
 * @param {number} count
 */
export function laneOf(index, count) {
  const lanes = Math.min(Math.max(count, 1), SETS_WITH_LOOKS);
  const step = lanes <= 5 ? MARK_LANE : ROOM / (lanes - 1);
  return FIRST_MARK_LANE + (index % SETS_WITH_LOOKS) * step;
}

/** As hexadecimal. @param {string} color @param {number} opacity */
export function faint(color, opacity) {
  return (
    color +
    Math.round(opacity * 255)
      .toString(16)
      .padStart(2, "0")
  );
}

// ---- The button of a set: its letter in its colour, how it is underlined, how many tokens it has

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
  const count = inline("count", "0");
  // The line lies under the number, so that a chip takes little room and keeps its width while one marks.
  const root = pressable(
    "chip",
    { role: "radio", "data-set": index, ...properties },
    inline("badge", letterOf(index)),
    inline("tally", sample, count),
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

// ---- Gold sets as stacked underlines over the heat, a channel that the heat does not use

/** How far the underlines of two sets are apart, on the screen and in pictures. */
export const LANE = 4;
const FIRST = 1;
const MOST_LANES = 6;

/**
 * How many lanes the text needs room for.
 * @param {number[][]} gold
 */
export const lanesOf = (gold) => Math.max(1, Math.min(MOST_LANES, gold.length));

/**
 * The combination of sets that each token is in: "" for none, else their numbers with dashes, such as "0-2".
 * @param {number[][]} gold
 * @param {number} n
 */
export function combinations(gold, n) {
  const sets = Array.from({ length: n }, () => /** @type {number[]} */ ([]));
  gold.forEach((tokens, set) => {
    for (const token of tokens) if (token < n) sets[token].push(set);
  });
  return sets.map((of) => of.join("-"));
}

/**
 * The rules of all combinations that are met.
 * @param {string[]} names
 * @param {number} lanes
 * @param {{dark?: boolean, prefix?: string, isAbove?: boolean, lookAt?: (set: number) => UnderlineLook}} [looks]
 *   the colours of the light theme unless said otherwise; isAbove: the lines lie above the words
 */
export function goldRules(
  names,
  lanes,
  { dark = false, prefix = "g", isAbove = false, lookAt = (set) => lookOf(set, dark) } = {},
) {
  return [...new Set(names)]
    .filter(Boolean)
    .map((name) => {
      const sets = name.split("-").map(Number);
      const images = sets.map((set) => line(lookAt(set)));
      const far = (/** @type {number} */ set) => `${FIRST + (lanes - 1 - (set % lanes)) * LANE}px`;
      const places = sets.map((set) => (isAbove ? `0 ${far(set)}` : `0 calc(100% - ${far(set)})`));
      return (
        `.${prefix}${name}{background-image:${images.join(",")};background-size:${sets.map(() => "100% 3px").join(",")};` +
        `background-position:${places.join(",")};background-repeat:repeat-x}`
      );
    })
    .join("");
}

/**
 * The rules for both themes, so that a saved page, which is light, needs no other sheet.
 * @param {string[]} names
 * @param {number} lanes
 * @param {{prefix: string, isAbove?: boolean, lookAt: (set: number, dark: boolean) => UnderlineLook}} looks
 */
export const goldRulesOfThemes = (names, lanes, { prefix, isAbove, lookAt }) =>
  goldRules(names, lanes, { prefix, isAbove, lookAt: (set) => lookAt(set, false) }) +
  goldRules(names, lanes, {
    prefix: `saliency[data-theme="dark"] .${prefix}`,
    isAbove,
    lookAt: (set) => lookAt(set, true),
  });

/**
 * A set's letter, in the colour of its underline in either theme.
 * @param {number} set
 */
export const goldBadge = (set) =>
  element(
    "span",
    { class: "badge", style: `--set-light:${lookOf(set, false).color};--set-dark:${lookOf(set, true).color}` },
    letterOf(set),
  );

/** Every proposal is dashed; the dashes of neighbouring sets differ in length, so that colour is not all. */
const DASHES = [8, 4, 12, 6, 2];

/** @typedef {{color: string, style: string, set?: number}} UnderlineLook */

/** @type {Record<string, (color: string, set: number) => string>} */
const PATTERNS = {
  solid: (color) => `linear-gradient(${color} 0 3px,transparent 3px)`,
  dashed: (color) => `repeating-linear-gradient(90deg,${color} 0 6px,transparent 6px 9px)`,
  dotted: (color) => `repeating-linear-gradient(90deg,${color} 0 3px,transparent 3px 5px)`,
  double: (color) => `linear-gradient(${color} 0 1px,transparent 1px 2px,${color} 2px 3px)`,
  proposed: (color, set) =>
    `repeating-linear-gradient(90deg,${color} 0 ${DASHES[set % DASHES.length]}px,transparent 0 ${DASHES[set % DASHES.length] + 3}px)`,
  wavy: (color) => `repeating-linear-gradient(115deg,${color} 0 3px,transparent 3px 6px)`,
};

/** @param {UnderlineLook} look */
function line({ color, style, set = 0 }) {
  return (PATTERNS[style] || PATTERNS.solid)(color, set);
}
