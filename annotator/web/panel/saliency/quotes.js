/** What a language model quoted as its reason: what the boxes are, and which quotes are not in the text. */
import { element } from "../shared/dom.js";

/** @param {Pick<HeatPanel, "quotes">} panel */
export const boxedWords = (panel) => (panel.quotes ? "what the model quoted is boxed" : "selected tokens are boxed");

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
      more > 0 && element("li", {}, `and ${more} more`),
    ),
  );
}

/**
 * How many of the quotes are not in the text.
 * @param {HeatQuotes} quotes
 */
export function missingWords({ n, n_missing }) {
  if (n === 1) return "The one quote of the model is not in the text";
  if (n === n_missing) return `None of the ${n} quotes of the model is in the text`;
  return `${n_missing} of the ${n} quotes of the model ${n_missing === 1 ? "is" : "are"} not in the text`;
}
