/** In which form the maps are saved, and what is offered where a form cannot be had. */
import { _ } from "../words/language.js";
import { openDialog } from "../shared/dialogs.js";
import { button, element } from "../shared/dom.js";

/** @typedef {(kind: FileKind) => unknown} Save */

/** @type {[label: string, words: string, kind: FileKind][]} */
const KINDS = [
  ["HTML", _("a page of its own, without scripts"), "html"],
  ["SVG", _("a drawing, for slides and papers"), "svg"],
  ["PNG", _("a picture, at twice the size of the drawing"), "png"],
  ["LaTeX", _("coloured boxes, for a paper (needs xcolor)"), "tex"],
  ["CSV", _("a row for each token of each map"), "csv"],
];

/** @param {HTMLElement} root @param {Save} save */
export function openExport(root, save) {
  const rows = KINDS.map(([label, words, kind]) =>
    element("div", { class: "export-row" }, button(label, { onclick: () => (dialog.close(), save(kind)) }), words),
  );
  const dialog = openDialog(root, _("Export the maps"), ...rows);
}

/**
 * A file that could not be made, and a drawing instead.
 * @param {HTMLElement} root
 * @param {string} refusal
 * @param {Save} save
 */
export function offerDrawing(root, refusal, save) {
  const dialog = openDialog(
    root,
    _("The file could not be made"),
    element("p", { class: "dialog-words", role: "alert" }, refusal),
    element(
      "div",
      { class: "dialog-foot" },
      button(_("Save as SVG"), { className: "primary", onclick: () => (dialog.close(), save("svg")) }),
    ),
  );
}
