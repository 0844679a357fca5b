/**
 * The numbers of all maps in one table, to be read across: a row for each number, a column for each map in the order of
 * the screen.
 */
import { _ } from "../words/language.js";
import { element } from "../shared/dom.js";
import { rowsOf } from "./rows.js";

/** @typedef {import("./map.js").SaliencyMap} SaliencyMap */

export class NumbersTable {
  constructor() {
    this.table = element("table", {});
    const box = element(
      "div",
      { class: "numbers-box", tabIndex: 0, role: "region", "aria-label": _("Numbers of the maps") },
      this.table,
    );
    this.definitions = element("dl", {});
    this.details = element("details", {}, element("summary", {}, _("What these numbers mean")), this.definitions);
    this.trust = element("div", { class: "heat-trust" });
    this.root = element("div", { class: "heat-numbers" }, box, this.details, this.trust);
  }

  /** @param {import("./map.js").SaliencyMap[]} maps  after they are painted */
  show(maps) {
    const numbers = maps.map((map) => new Map(rowsOf(map).map((row) => [row.title, row])));
    const titles = inOrder(numbers.map((one) => [...one.keys()]));
    /** @param {string} title */
    const definitionOf = (title) => numbers.flatMap((one) => one.get(title)?.words ?? [])[0] ?? "";
    this.table.replaceChildren(
      element("thead", {}, headOf(maps)),
      element(
        "tbody",
        {},
        ...titles.map((title) =>
          element(
            "tr",
            {},
            element("th", { scope: "row", title: definitionOf(title) }, title),
            ...numbers.map((one) => cellOf(one.get(title))),
            element("td", { class: "definition" }, definitionOf(title)),
          ),
        ),
      ),
    );
    this.definitions.replaceChildren(
      ...titles.flatMap((title) => [element("dt", {}, title), element("dd", {}, definitionOf(title))]),
    );
    this.trust.replaceChildren(
      ...[...new Set([...maps.map((map) => map.chanceWords()), ...maps.map((map) => map.trustWords())])]
        .filter(Boolean)
        .map((words) => element("p", {}, words)),
    );
  }
}

/** @param {SaliencyMap[]} maps */
const headOf = (maps) =>
  element(
    "tr",
    {},
    element("td", {}),
    ...maps.map((map) =>
      element(
        "th",
        { scope: "col" },
        map.title(),
        element("small", {}, [map.version, map.panel.scores && map.meaning.head].filter(Boolean).join(" · ")),
      ),
    ),
    element("th", { class: "definition", scope: "col" }, _("Definition")),
  );

/**
 * A number that a map has; empty where its method has no such number.
 * @param {import("./numbers.js").NumberRow|undefined} row
 */
function cellOf(row) {
  if (!row) return element("td", {});
  return element(
    "td",
    { title: row.detail },
    element(
      "span",
      { class: "numbers-value" },
      row.badge && element("span", { class: "of-set", "aria-label": row.badgeWords }, row.badge),
      row.value,
    ),
  );
}

/**
 * The titles of all maps, each where the first map that has it has it: behind the one that stands before it there.
 * @param {string[][]} lists
 */
export function inOrder(lists) {
  /** @type {string[]} */
  const order = [];
  for (const list of lists) {
    list.forEach((title, place) => {
      if (order.includes(title)) return;
      order.splice(place ? order.indexOf(list[place - 1]) + 1 : 0, 0, title);
    });
  }
  return order;
}

/**
 * How many maps stand in a row: as many as there is room for, in rows of equal length as far as that goes.
 * @param {number} n
 * @param {number} width
 */
export function columnsFor(n, width, least = 340, gap = 14) {
  const most = Math.max(1, Math.floor((width + gap) / (least + gap)));
  return Math.max(1, Math.ceil(n / Math.ceil(n / most)));
}
