/** What an address says of how the maps are shown. */
import { POLICIES } from "./people.js";

/** @type {HeatFlag[]}  as an address names them, too */
export const FLAGS = ["shared", "magnitude", "clip", "numbers", "bars", "pieces", "matrix"];

/**
 * How the maps are shown, as an address says it.
 * @param {URLSearchParams} asked
 * @returns {HeatState}
 */
export function stateOf(asked) {
  const looks = (asked.get("looks") || "").split(" ");
  /** @param {HeatFlag} flag */
  const has = (flag) => looks.includes(flag);
  return {
    share: shareOf(asked),
    shared: has("shared"),
    magnitude: has("magnitude"),
    clip: has("clip"),
    numbers: has("numbers"),
    bars: has("bars"),
    pieces: has("pieces"),
    matrix: has("matrix"),
  };
}

/**
 * The share of the tokens in the top k, in percent; null where the address names none from 0 to 100.
 * @param {URLSearchParams} asked
 */
export function shareOf(asked) {
  const k = asked.get("k");
  const share = k ? Number(k) : NaN;
  return share >= 0 && share <= 100 ? share : null;
}

/** @param {URLSearchParams} asked */
export function goldOf(asked) {
  const gold = asked.get("gold") ?? "";
  return [...POLICIES, "people"].includes(gold) ? gold : "";
}

/**
 * Puts what is on the screen into the address, so that a view is shared by its link.
 * @param {Record<string, string|number|null|undefined>} values
 * @param {boolean} isStep  the browser's way back leads to what was there before
 */
export function remember(values, isStep = false) {
  const said = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === undefined || value === "") said.delete(name);
    else said.set(name, String(value));
  }
  const address = `${location.pathname}?${said}`;
  if (address === location.pathname + location.search) return;
  if (isStep) history.pushState(history.state, "", address);
  else history.replaceState(history.state, "", address);
}
