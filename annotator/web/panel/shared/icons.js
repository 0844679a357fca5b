/** Inline icons, drawn with the colour of the text around them. */

const SVG = "http://www.w3.org/2000/svg";

const PATHS = {
  undo: "M7 5 3.5 8.5 7 12M4 8.5h6.5a3.5 3.5 0 0 1 0 7H8",
  redo: "M11 5l3.5 3.5L11 12M14 8.5H7.5a3.5 3.5 0 0 0 0 7H10",
  lock: "M5 8.5V6.5a4 4 0 0 1 8 0v2M4 8.5h10v7H4z",
  unlocked: "M5 8.5V5.5a4 4 0 0 1 7.6-1.7M4 8.5h10v7H4z",
  warning: "M9 3 16 15.5H2zM9 7.5v3.5M9 13v.3",
  returned: "M7 4 3.5 7.5 7 11M4 7.5h6a4 4 0 0 1 4 4V14",
  check: "M4 9.5l3.5 3.5L14 5.5",
  close: "M5 5l8 8M13 5l-8 8",
};

/** @param {keyof typeof PATHS} name */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 18 18");
  svg.setAttribute("class", `icon icon-${name}`);
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}
