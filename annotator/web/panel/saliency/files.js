/** Files of what is on the screen. */
import { _, inEnglish } from "../words/language.js";
import { treeOf } from "../shared/dom.js";
import { drawingOf, pictureOf } from "./drawing.js";
import { offerDrawing } from "./export_dialogs.js";
import { csvOf, htmlOf, latexOf, save } from "./export.js";

/** @typedef {import("./screen.js").SaliencyScreen} SaliencyScreen */

/**
 * @param {FileKind} kind
 * @param {SaliencyScreen} screen
 * @param {HeatAnswer} view  the text on it
 */
export async function saveShown(kind, screen, view) {
  const { shown, maps, partnerMaps } = screen;
  const name = `saliency-${view.instance.key.replace(/[^\p{L}\p{N}_-]+/gu, "_").slice(0, 60)}`;
  if (kind === "html") save(`${name}.html`, "text/html", pageOf(screen, view));
  if (kind === "svg") save(`${name}.svg`, "image/svg+xml", drawingOf(shown).svg);
  if (kind === "tex")
    save(
      `${name}.tex`,
      "text/plain",
      inEnglish(() => latexOf(shown)),
    );
  if (kind === "csv")
    save(
      `${name}.csv`,
      "text/csv",
      inEnglish(() => csvOf([...maps, ...partnerMaps])),
    );
  if (kind !== "png") return;
  const { blob, refusal } = await pictureOf(drawingOf(shown));
  if (blob) save(`${name}.png`, "image/png", blob);
  else offerDrawing(screen.root, refusal, (other) => saveShown(other, screen, view));
}

/** @param {SaliencyScreen} screen @param {HeatAnswer} view */
function pageOf(screen, { instance }) {
  const root = treeOf(screen.root);
  const sheets = [...root.querySelectorAll("style")].map((style) => style.textContent).join("\n");
  const adopted = root.adoptedStyleSheets
    .flatMap((sheet) => [...sheet.cssRules].map((rule) => rule.cssText))
    .join("\n");
  return htmlOf(
    _("Saliency of {key}", { key: instance.key }),
    `${adopted}\n${sheets}`,
    screen.title.where,
    screen.content,
  );
}
