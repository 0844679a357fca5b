/**
 * Measured numbers as people read them: the rule of annotator/domain/numbers.py, in the browser. Counts are not written
 * here.
 */

import { inPercent } from "../shared/spoken.js";

const UNDEFINED = "–";
/** What remains of a zero that was added up. */
const NOISE = 1e-12;
const SMALLEST_WITH_DECIMALS = 1e-4;

/**
 * As many digits as its size asks for: three, of small numbers two beyond the zeros; no minus before a zero; a dash for
 * none.
 * @param {number|null|undefined} value
 */
export function written(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return UNDEFINED;
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size < NOISE) return "0";
  if (size < SMALLEST_WITH_DECIMALS) return value.toExponential(1).replaceAll("-", "−");
  const decimals = decimalsOf(size);
  return value
    .toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
    .replace("-", "−");
}

/**
 * Three digits in all; below 1 three decimals, or as many as show two digits.
 * @param {number} size
 */
function decimalsOf(size) {
  const first = Math.floor(Math.log10(Number(size.toPrecision(size >= 0.1 ? 3 : 2))));
  return first < 0 ? Math.max(3, 1 - first) : Math.max(0, 2 - first);
}

/**
 * A number that may be on either side of zero, with its sign.
 * @param {number} value
 */
export function signed(value) {
  const text = written(value);
  return value > 0 && text !== "0" ? `+${text}` : text;
}

/**
 * A share between 0 and 1.
 * @param {number|null|undefined} share
 */
export const percent = (share) =>
  share === null || share === undefined ? UNDEFINED : inPercent((Math.round(1000 * share) / 10 + 0).toFixed(1));
