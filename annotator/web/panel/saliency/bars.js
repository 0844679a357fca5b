/** The highest scores of a map as bars, and the model's own pieces as chips. */
import { _ } from "../words/language.js";
import { element } from "../shared/dom.js";
import { scoredOf } from "./numbers.js";
import { percent } from "./written_numbers.js";

const BARS = 15;

/** @typedef {import("./map.js").SaliencyMap} SaliencyMap */

/** @param {Pick<SaliencyMap, "panel"|"scale"|"tokens"|"meaning">} map */
export function barsOf({ panel, scale, tokens, meaning }) {
  const list = scoredOf(panel).sort((a, b) => Math.abs(b.score) - Math.abs(a.score) || a.token - b.token);
  return list.slice(0, BARS).map(({ score, token }) => {
    const part = scale ? (panel.is_signed ? 50 : 100) * Math.min(1, Math.abs(score) / scale) : 0;
    return element(
      "div",
      { class: "bar-row", "data-token": token },
      element("span", { class: "bar-word" }, tokens[token].textContent),
      element(
        "span",
        { class: "bar-track" },
        element("span", {
          class: `bar-fill ${!panel.is_signed ? "weight" : score < 0 ? "against" : "for"}`,
          style: `width:${scale ? part.toFixed(1) : 0}%`,
        }),
      ),
      element("span", { class: "bar-number" }, meaning.number(score)),
    );
  });
}

/** @param {Pick<SaliencyMap, "panel"|"meaning">} map */
export function piecesOf({ panel: { pieces }, meaning }) {
  if (!pieces) return [element("p", {}, _("There are no pieces: the source gives a score for each word."))];
  const special = pieces.filter((piece) => piece[3]).reduce((sum, piece) => sum + Math.abs(piece[5]), 0);
  const all = pieces.reduce((sum, piece) => sum + Math.abs(piece[5]), 0);
  return [
    ...pieces.map(([text, , , isSpecial, , score]) =>
      element(
        "span",
        { class: `piece ${isSpecial ? "special" : ""}` },
        text || "∅",
        element("small", {}, meaning.number(score)),
      ),
    ),
    element(
      "p",
      {},
      _("{share} of all |score| lies on special pieces, which belong to no word.", {
        share: percent(all ? special / all : 0),
      }),
    ),
  ];
}
