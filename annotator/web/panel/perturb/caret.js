/** Where the caret of a text area stands, which browsers do not tell: measured in a copy of it that is never seen. */
import { element } from "../shared/dom.js";

/** @satisfies {(keyof CSSStyleDeclaration)[]} */
const STYLES = /** @type {const} */ ([
  "font",
  "lineHeight",
  "letterSpacing",
  "wordSpacing",
  "textIndent",
  "tabSize",
  "direction",
  "overflowWrap",
  "padding",
]);

/**
 * @param {HTMLTextAreaElement} area
 * @returns {{top: number, height: number}}  its line, from the upper edge of what the area scrolls
 */
export function caretLine(area) {
  const given = getComputedStyle(area);
  const caret = element("span", {}, "\u200b");
  const copy = element(
    "div",
    { "aria-hidden": "true", lang: area.lang },
    area.value.slice(0, area.selectionEnd),
    caret,
    area.value.slice(area.selectionEnd),
  );
  for (const name of STYLES) copy.style[name] = given[name];
  Object.assign(copy.style, {
    position: "absolute",
    visibility: "hidden",
    whiteSpace: "pre-wrap",
    boxSizing: "border-box",
    width: `${area.clientWidth}px`,
  });
  area.after(copy);
  const height = parseFloat(given.lineHeight) || caret.offsetHeight;
  const line = { top: caret.getBoundingClientRect().top - copy.getBoundingClientRect().top, height };
  copy.remove();
  return line;
}
