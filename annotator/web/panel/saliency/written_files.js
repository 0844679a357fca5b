/** What a model wrote, as the files of its maps hold it: all pieces, which is explained, what earlier ones counted. */
import { _ } from "../words/language.js";
import { parts } from "../shared/dom.js";
import { orderOf, ranksOf, selectedOf } from "./numbers.js";

/** @typedef {import("./map.js").SaliencyMap} SaliencyMap */
/**
 * A piece as it is seen. score: what it counted for the one that is explained; null of this one and of later ones.
 * @typedef {{words: string, score: number|null, isChosen: boolean}} ShownPiece
 */

/** Which map it is, in words. @param {SaliencyMap} map */
export function writtenWords({ answer }) {
  if (!answer) return "";
  const { model, written } = answer.panel;
  if (answer.step === null) return _("{model} wrote:", { model });
  const values = { model, step: answer.step + 1, n: written.pieces.length };
  return _("Piece {step} of {n} of what {model} wrote:", values);
}

/** @param {SaliencyMap} map @returns {ShownPiece[]} */
export function shownPieces({ answer }) {
  if (!answer) return [];
  const earlier = answer.shown.earlier ?? [];
  return answer.buttons.map((made, step) => ({
    words: made.textContent ?? "",
    score: earlier[step] ?? null,
    isChosen: step === answer.step,
  }));
}

/**
 * A map of its own; step: the piece that it explains, null of all pieces together and where nothing was written.
 * @typedef {Pick<SaliencyMap, "panel"|"ranks"|"selected"> & {step: number|null}} MapOfPiece
 */

/**
 * The map, and of a written answer the one of all pieces and those of each.
 * @param {SaliencyMap} map
 * @returns {MapOfPiece[]}
 */
export function mapsOfPieces(map) {
  const { answer } = map;
  if (!answer) return [{ step: null, panel: map.panel, ranks: map.ranks, selected: map.selected }];
  return [null, ...answer.buttons.keys()].map((step) => {
    const panel = answer.panelOf(step);
    const order = orderOf(panel);
    return { step, panel, ranks: ranksOf(order), selected: selectedOf(panel, map.view.sides, map.counts, order) };
  });
}

/** The pieces of a page that has no buttons: as text, with their numbers. @param {ParentNode} page */
export function keepPieces(page) {
  for (const row of parts(page, ".heat-written-pieces", HTMLElement)) {
    row.setAttribute("role", "group");
    row.classList.toggle("with-numbers", row.querySelector("[data-score]") !== null);
  }
  for (const made of parts(page, "button.written-piece[data-step]", HTMLButtonElement)) {
    const text = document.createElement("span");
    text.textContent = made.textContent;
    text.title = made.title;
    text.className = `${made.className}${made.getAttribute("aria-pressed") === "true" ? " chosen" : ""}`;
    const score = made.getAttribute("data-score");
    if (score !== null) text.setAttribute("data-score", score);
    made.replaceWith(text);
  }
}
