/**
 * Heat: orange supports, blue opposes, white is zero; the scale is the same on both sides.
 *
 * Ten steps a side in one sheet, so that a token carries a class and no style of its own. The end points are light, so that
 * black text keeps a contrast of at least 11 : 1; they stay apart under simulated colour blindness (Machado 2009).
 */

const SUPPORTS = [0xfd, 0xb8, 0x63];
const OPPOSES = [0x92, 0xc5, 0xde];
export const STEPS = 10;

/** @param {number} part  -1 to 1 */
export function colourOf(part) {
  const end = part < 0 ? OPPOSES : SUPPORTS;
  return end.map((channel) => Math.round(255 + (channel - 255) * Math.min(1, Math.abs(part))));
}

export const hexOf = (rgb) => `#${rgb.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;

/** The class of a score on a scale; "" for zero and for what has no score. */
export function stepOf(score, scale) {
  if (score === null || !scale) return "";
  const step = Math.min(STEPS, Math.ceil((Math.abs(score) / scale) * STEPS - 1e-9));
  return step ? `${score < 0 ? "o" : "s"}${step}` : "";
}

/** The sheet of all steps. */
export function heatRules() {
  const rules = [];
  for (let step = 1; step <= STEPS; step += 1) {
    rules.push(`.s${step}{background-color:${hexOf(colourOf(step / STEPS))}}`, `.o${step}{background-color:${hexOf(colourOf(-step / STEPS))}}`);
  }
  return rules.join("");
}

/**
 * The number at the ends of a panel's scale.
 * @param {Array<Object>} panels
 * @param {"own"|"method"} scope  each map by itself, or all maps of one method together (their units are the same)
 */
export function scalesOf(panels, scope, { clip = false } = {}) {
  const own = panels.map((panel) => highest(panel.scores || [], clip));
  if (scope === "own") return own;
  return panels.map((panel, place) => Math.max(...own.filter((_, other) => other === place || panels[other].method === panel.method)));
}

function highest(scores, clip) {
  const sizes = scores.filter((score) => score !== null).map(Math.abs).sort((a, b) => a - b);
  if (!sizes.length) return 0;
  return clip ? sizes[Math.min(sizes.length - 1, Math.floor(0.98 * sizes.length))] || sizes[sizes.length - 1] : sizes[sizes.length - 1];
}

/** A number as people read it. */
export function written(value, digits = 3) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  const text = size && (size < 0.001 || size >= 10000) ? value.toExponential(2) : String(Number(value.toPrecision(digits)));
  return text.replace("-", "−");
}

export const signed = (value) => (value > 0 ? `+${written(value)}` : written(value));
