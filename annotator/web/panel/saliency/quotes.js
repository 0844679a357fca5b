/** What a language model quoted as its reason: what the boxes are, and which quotes are not in the text. */
import { _, several } from "../words/language.js";
import { element } from "../shared/dom.js";

/** @param {Pick<HeatPanel, "quotes">} panel */
export const boxedWords = (panel) =>
  panel.quotes ? _("what the model quoted is boxed") : _("selected tokens are boxed");

/**
 * The quotes that are not in the text, as the text that they are; nothing where all are there.
 * @param {Pick<HeatPanel, "quotes">} panel
 */
export function missingQuotes({ quotes }) {
  if (!quotes || !quotes.n_missing) return null;
  const words = missingWords(quotes);
  const more = quotes.n_missing - quotes.missing.length;
  return element(
    "div",
    { class: "heat-quotes", role: "group", "aria-label": words },
    element("p", {}, `${words}:`),
    element(
      "ul",
      {},
      ...quotes.missing.map((quote) => element("li", { dir: "auto" }, quote)),
      more > 0 && element("li", {}, _("and {more} more", { more })),
    ),
  );
}

/**
 * How many of the quotes are not in the text.
 * @param {HeatQuotes} quotes
 */
export function missingWords({ n, n_missing }) {
  if (n === 1) return _("The one quote of the model is not in the text");
  if (n === n_missing) return _("None of the {n} quotes of the model is in the text", { n });
  return several(
    "{n} of the {all} quotes of the model is not in the text",
    "{n} of the {all} quotes of the model are not in the text",
    n_missing,
    { all: n },
  );
}
