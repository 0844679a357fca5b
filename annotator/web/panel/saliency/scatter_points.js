/** What is pure in the scatter: equal points put together, ticks, and which points a part of it holds. */
import { _, listed, several, together } from "../words/language.js";
import { written } from "./map_numbers.js";

/** @typedef {{x: number, y: number, places: number[]}} Spot  places: of the texts that have these two numbers */
/** @typedef {[from: number|null, to: number|null]} Bounds  both included; null: open */
/**
 * A part of the scatter: within both bounds, or inside an outline of at least three corners ([]: none).
 * @typedef {{xs: Bounds, ys: Bounds, outline: [number, number][]}} Brush
 */

const MOST_CORNERS = 60;
const ROOM = 0.04;

/**
 * One spot for all texts with the same two numbers, so that none hides another.
 * @param {number[]} xs @param {number[]} ys
 * @returns {Spot[]}
 */
export function spotsOf(xs, ys) {
  /** @type {Map<string, Spot>} */
  const spots = new Map();
  xs.forEach((x, place) => {
    const name = `${x} ${ys[place]}`;
    const spot = spots.get(name);
    if (spot) spot.places.push(place);
    else spots.set(name, { x, y: ys[place], places: [place] });
  });
  return [...spots.values()];
}

/**
 * What an axis shows: all values, with a little room on both sides.
 * @param {number[]} values
 * @returns {[number, number]}
 */
export function domainOf(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
  if (low > high) return [0, 1];
  const room = (high - low) * ROOM || Math.abs(low) * ROOM || 1;
  return [low - room, high + room];
}

/**
 * Round numbers along an axis, about as many as asked for.
 * @param {[number, number]} domain @param {number} n
 */
export function ticksOf([low, high], n) {
  const rough = (high - low) / Math.max(1, n);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((one) => one * power >= rough) ?? 10);
  const first = Math.ceil(low / step);
  const ticks = Array.from(
    { length: Math.max(0, Math.floor(high / step) - first + 1) },
    (_, at) => (first + at) * step,
  );
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return ticks.map((value) => ({
    value,
    words: value
      .toFixed(Math.min(12, decimals))
      .replace(/^-(?=0*\.?0*$)/, "")
      .replace("-", "−"),
  }));
}

/** @param {number} value @param {Bounds} bounds */
const isBetween = (value, [from, to]) => (from === null || value >= from) && (to === null || value <= to);

/**
 * Whether a point is in a part of the scatter, by the rule of usecases/inspect/scatter.py.
 * @param {Brush} brush @param {number} x @param {number} y
 */
export function holds({ xs, ys, outline }, x, y) {
  if (!isBetween(x, xs) || !isBetween(y, ys)) return false;
  let isIn = !outline.length;
  outline.forEach(([x1, y1], at) => {
    const [x2, y2] = outline[(at + 1) % outline.length];
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) isIn = !isIn;
  });
  return isIn;
}

/**
 * A number without digits that nobody can point at: four of those that the width of the axis has.
 * @param {number} value @param {[number, number]} domain
 */
export function rounded(value, [low, high]) {
  const decimals = Math.min(15, Math.max(0, 3 - Math.floor(Math.log10(high - low || 1))));
  return Number(value.toFixed(decimals));
}

/**
 * The path of a pointer with as few corners as an address has room for.
 * @template T @param {T[]} path @returns {T[]}
 */
export const fewCorners = (path) =>
  path.length <= MOST_CORNERS
    ? path
    : Array.from({ length: MOST_CORNERS }, (_, at) => path[Math.floor((at * path.length) / MOST_CORNERS)]);

/**
 * A part of the scatter as an address and the routes name it; without any the names are empty.
 * @param {Brush|null} brush @returns {{xs: string, ys: string, outline: string}}
 */
export const queryOf = (brush) => ({
  xs: brush ? boundsText(brush.xs) : "",
  ys: brush ? boundsText(brush.ys) : "",
  outline: brush ? brush.outline.map((corner) => corner.join(",")).join(" ") : "",
});

/** @param {Bounds} bounds */
const boundsText = ([from, to]) => (from === null && to === null ? "" : `${from ?? ""}~${to ?? ""}`);

/**
 * What an address names; null where it names nothing, or nothing that can be read.
 * @param {URLSearchParams} asked @returns {Brush|null}
 */
export function brushOf(asked) {
  const [xs, ys] = [boundsOf(asked.get("xs") ?? ""), boundsOf(asked.get("ys") ?? "")];
  const outline = outlineOf(asked.get("outline") ?? "");
  if (!xs || !ys || !outline) return null;
  return [...xs, ...ys].some((bound) => bound !== null) || outline.length ? { xs, ys, outline } : null;
}

/** @param {string} text @returns {Bounds|null} */
function boundsOf(text) {
  if (!text) return [null, null];
  const ends = text.split("~");
  const [from, to] = ends.map((end) => (end.trim() ? Number(end) : null));
  const isRead = ends.length === 2 && [from, to].every((end) => end === null || Number.isFinite(end));
  return isRead && (from === null || to === null || from <= to) && (from ?? to) !== null ? [from, to] : null;
}

/** @param {string} text @returns {[number, number][]|null} */
function outlineOf(text) {
  if (!text) return [];
  const corners = text.split(" ").map((corner) => corner.split(",").map((part) => (part.trim() ? Number(part) : NaN)));
  const isRead = corners.every((corner) => corner.length === 2 && corner.every(Number.isFinite));
  return isRead && corners.length >= 3 && corners.length <= 200 ? corners.map(([x, y]) => [x, y]) : null;
}

/** A number of a text: some are counts, of which no decimals are written. @param {number} value */
export const valueWords = (value) => (Number.isInteger(value) ? value.toLocaleString("en") : written(value));

/**
 * A part of the scatter in words.
 * @param {Brush} brush @param {string} x @param {string} y  what the axes are
 */
export function brushWords({ xs, ys, outline }, x, y) {
  if (outline.length) return _("inside an outline of {x} and {y}", { x, y });
  /** @param {string} name @param {Bounds} bounds */
  const part = (name, [from, to]) => {
    const values = { name, from: valueWords(from ?? 0), to: valueWords(to ?? 0) };
    if (from !== null && to !== null) return _("{name} {from} to {to}", values);
    if (from !== null) return _("{name} from {from}", values);
    return to !== null ? _("{name} up to {to}", values) : "";
  };
  return listed([part(x, xs), part(y, ys)].filter(Boolean));
}

/**
 * How many of the drawn texts the models of the axes learned from.
 * @param {ScatterPoints["learned"]} learned
 */
export const learnedWords = (learned) =>
  together(
    ...Object.entries(learned)
      .filter(([, ids]) => ids.length)
      .map(([model, { length }]) =>
        several(
          "{model} was trained on {n} of them (open points; not in Metrics).",
          "{model} was trained on {n} of them (open points; not in Metrics).",
          length,
          { model },
        ),
      ),
  );

/**
 * How many texts are drawn, and how many are not because they have no value.
 * @param {{n: number, ids: number[], without_x: number, without_y: number}} given @param {string} x @param {string} y
 */
export function missingWords({ n, without_x, without_y }, x, y) {
  /** @param {number} missing @param {string} name */
  const part = (missing, name) =>
    missing
      ? [
          n === 1
            ? _("{missing} of {all} text has no {name}.", { missing, all: n, name })
            : several("{n} of {all} texts has no {name}.", "{n} of {all} texts have no {name}.", missing, {
                all: n.toLocaleString("en"),
                name,
              }),
        ]
      : [];
  return together(...part(without_x, x), ...(x === y ? [] : part(without_y, y)));
}
