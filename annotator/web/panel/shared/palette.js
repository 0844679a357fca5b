/**
 * Colours, underline styles and lanes of the rationale sets.
 *
 * Nine colours for each theme, all at least 4.5 : 1 against the background (they also carry the chips' letters).
 * The first six differ by 15 or more (CIE76) under simulated deutan, protan and tritan vision (Machado 2009);
 * nine cannot, which is why each set also has a letter, a line style and a lane of its own.
 */

const LIGHT = ["#1A5FE0", "#C84B00", "#00664F", "#8E2A8B", "#6E1B0C", "#161B75", "#0A78C2", "#856800", "#3F4450"];
const DARK = ["#8AB4FF", "#FF7A33", "#4FE39B", "#D07CC0", "#FFE14D", "#6485FF", "#C9FBE0", "#E8615A", "#D9DDE8"];
const STYLES = ["solid", "dashed", "dotted", "double", "wavy", "solid", "dashed", "dotted", "double"];
const NARROW = ["solid", "dashed", "dotted", "solid", "dashed", "dotted", "solid", "dashed", "dotted"];

/** Pixels from the baseline to the first underline, between two underlines, and all the room there is. */
const FIRST_LANE = 4;
const LANE = 3.2;
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
  const step = lanes <= 5 ? LANE : ROOM / (lanes - 1);
  return FIRST_LANE + (index % SETS_WITH_LOOKS) * step;
}

/**
 * A colour with an opacity, as hexadecimal.
 * @param {string} color
 * @param {number} opacity
 */
export function faint(color, opacity) {
  return (
    color +
    Math.round(opacity * 255)
      .toString(16)
      .padStart(2, "0")
  );
}
