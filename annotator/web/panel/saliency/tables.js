/** Maps as tables: the matrix of maps by tokens, the numbers of all maps, and MAP depth by depth. */
import { letterOf } from "../shared/annotation.js";
import { div, element, inline, setText, tr } from "../shared/dom.js";
import { goldBadge } from "../shared/set_styles.js";
import { _, dotted } from "../words/language.js";
import { shownSubwords } from "./drawing.js";
import { meaningOf, scalesOf, stepOf } from "./heat_scale.js";
import { tokenAt } from "./heatmap.js";
import { depthsOf, factsOf, fitOf, tiesOf, written } from "./map_numbers.js";
import { markableWords, rowsOfPeople } from "./shown_sets.js";

/**
 * @param {HeatView} view
 * @param {SaliencyMap[]} maps
 * @param {{scales: number[], hover: (token: number|null) => void}} looks
 * @returns {{root: HTMLElement, point: (token: number|null, scrolls: boolean) => void}}
 */
export function matrixOf(view, maps, { scales, hover }) {
  const { combos } = view;
  const words = markableWords(view);
  const head = tr(
    element("th", { scope: "col" }, view.instance.key),
    ...words.map((word, token) =>
      element(
        "th",
        { scope: "col", class: combos[token] ? `${view.prefix}${combos[token]}` : "", "data-token": token },
        word || "\u00a0",
      ),
    ),
  );
  const facts = maps.map((map, place) => element("small", { "aria-live": "polite" }, scaleWords(map, scales[place])));
  const rows = maps.map((map, place) =>
    tr(
      element("th", { scope: "row", title: map.legendLine() }, map.title(), facts[place]),
      ...words.map((word, token) => {
        const score = map.panel.scores?.[token] ?? null;
        const heat = stepOf(score, scales[place], map.isSigned);
        return element("td", {
          class: [heat, map.selected.has(token) && "top"].filter(Boolean).join(" "),
          title: `${word}: ${score === null ? _("no score") : map.meaning.said(score)}`,
          "data-token": token,
        });
      }),
    ),
  );
  const table = tableOf(head, rows);
  const box = matrixBox(_("Methods × tokens, {key}", { key: view.instance.key }), table);
  box.addEventListener("pointerover", ({ target }) => hover(tokenAt(target)));
  box.addEventListener("pointerleave", () => hover(null));
  const usual = facts.map((fact) => fact.textContent ?? "");
  /** @param {number|null} token */
  const say = (token) =>
    facts.forEach((fact, place) => setText(fact, token === null ? usual[place] : maps[place].wordsAbout(token)));
  return { root: box, point: pointer(box, table, say) };
}

/**
 * What was written as a matrix of its own: subwords down, words and earlier subwords across, on one scale.
 * @param {HeatView} view
 * @param {SaliencyMap} map
 */
export function matrixOfAnswer(view, map) {
  const { answer } = map;
  if (!answer) return null;
  const words = markableWords(view);
  const subwords = shownSubwords(map).map((subword) => subword.words);
  const rows = subwords.map((_, step) => answer.panelOf(step));
  const [scale] = scalesOf([{ ...map.panel, scores: rows.flatMap((panel) => scoresOf(panel, words.length)) }], "own");
  const head = [...words, ...subwords].map((word) => element("th", { scope: "col" }, word || "\u00a0"));
  const body = rows.map((panel, step) =>
    tr(
      element("th", { scope: "row" }, `${step + 1} ${subwords[step]}`),
      ...[...words, ...subwords].map((word, place) => {
        const score = scoresOf(panel, words.length)[place] ?? null;
        const said = score === null ? _("no score") : meaningOf(panel).said(score);
        return element("td", { class: stepOf(score, scale, map.isSigned), title: `${word}: ${said}` });
      }),
    ),
  );
  const corner = element("th", { scope: "col" }, map.title(), element("small", {}, rangeWords(map, written(scale))));
  const label = _("Generated subwords × tokens, {title}", { title: map.title() });
  return matrixBox(label, tableOf(tr(corner, ...head), body));
}

/** @param {string} label @param {HTMLTableElement} table */
const matrixBox = (label, table) =>
  element("div", { class: "heat-matrix", tabIndex: 0, role: "region", "aria-label": label }, table);

/** @param {HTMLElement} head @param {HTMLElement[]} rows @param {string} [caption] */
const tableOf = (head, rows, caption) =>
  element(
    "table",
    {},
    caption && element("caption", {}, caption),
    element("thead", {}, head),
    element("tbody", {}, ...rows),
  );

/**
 * Of the n words that can be marked, and behind them of the subwords that were written before.
 * @param {HeatPanel} panel
 * @param {number} n
 */
const scoresOf = ({ scores, earlier }, n) => [...(scores ?? []).slice(0, n), ...(earlier ?? [])];

/**
 * Marks a column; each row's head says the number and rank there, in the place of its scale, so that nothing moves.
 * @param {HTMLElement} box
 * @param {HTMLTableElement} table
 * @param {(token: number|null) => void} say
 */
function pointer(box, table, say) {
  /** @type {HTMLTableCellElement[]} */
  let hot = [];
  /** @param {number|null} token @param {boolean} scrolls */
  return (token, scrolls) => {
    for (const cell of hot) cell.classList.remove("hot");
    hot = token === null ? [] : [...table.rows].map((row) => row.cells[token + 1]).filter(Boolean);
    for (const cell of hot) cell.classList.add("hot");
    const [first] = hot;
    say(first ? token : null);
    if (first && scrolls) box.scrollLeft = first.offsetLeft - box.clientWidth / 2;
  };
}

/** @param {SaliencyMap} map @param {number} scale */
function scaleWords(map, scale) {
  if (!map.panel.scores) return "";
  const unit = map.panel.unit === "none" ? "" : ` ${map.panel.unit}`;
  const range = rangeWords(map, `${written(scale)}${unit}`);
  return [range, map.meaning.head, ...map.remarks.map(({ short }) => short)].join(" · ");
}

/** @param {SaliencyMap} map @param {string} most */
const rangeWords = ({ isSigned }, most) => (isSigned ? `±${most}` : _("0 to {most}", { most }));

// ---- The numbers of a map

/** @type {Record<string, [title: string, words: string]>} */
const NAMES = {
  "editing.average_precision": ["AP", _("average precision against the best gold set")],
  "editing.mrr": ["MRR", _("1 / mean rank of the best gold set's tokens, each removed once found")],
  "er_test.order": [_("Order loss"), _("0 if every token of the best gold set ranks above all others")],
  "method.sufficiency": [
    `${_("Sufficiency")} ↓`,
    _("Drop in the predicted label's probability with only the rationale."),
  ],
  "method.comprehensiveness": [
    `${_("Comprehensiveness")} ↑`,
    _("Drop in the predicted label's probability without the rationale."),
  ],
  "benchmark.map": ["MAP", _("Similarity of token rankings before and after slight perturbation.")],
  "benchmark.map_aligned": [_("MAP, aligned"), _("MAP with synonym replacements treated as equal.")],
};

/**
 * @param {Pick<SaliencyMap, "panel"|"view"|"selected"|"isUnranked">} map  after it is painted
 * @returns {NumberRow[]}
 */
function rowsOf({ panel, view, selected, isUnranked }) {
  if (panel.run === null) return [];
  const ties = tiesOf(panel, view.sides, selected);
  return [
    ...(view.people ? rowsOfPeople({ view, selected, isUnranked }) : []),
    ...(view.people || isTyped(view) ? [] : rowsOfGold({ view, selected, isUnranked })),
    ...Object.entries(NAMES)
      .filter(([name]) => name in panel.numbers)
      .map(([name, [title, words]]) => ({ title, value: written(panel.numbers[name]), words })),
    ...factsOf(panel),
    ...(ties > 0
      ? [
          {
            title: _("Ties at k"),
            value: String(ties),
            words: _("tokens left out although tied with the top k (by position)"),
          },
        ]
      : []),
  ];
}

/** A text that nobody has stored has no gold. @param {{instance: {id: number}}} view */
const isTyped = ({ instance }) => instance.id === 0;

/**
 * How well the top k fits the gold sets.
 * @param {Pick<SaliencyMap, "view"|"selected"|"isUnranked">} map
 * @returns {NumberRow[]}
 */
function rowsOfGold({ view, selected, isUnranked }) {
  const fit = fitOf(selected, isUnranked ? [] : view.gold);
  return [
    {
      title: _("Token F1"),
      value: written(fit.f1),
      words: _("Agreement of the top k with the best gold set."),
      ...(fit.f1 === null
        ? {}
        : { badge: goldBadge(fit.set), badgeWords: _("set {letter}", { letter: letterOf(fit.set) }) }),
    },
    { title: "IoU", value: written(fit.iou), words: _("Overlap (IoU) of the top k with the best gold set.") },
    {
      title: _("Sets found"),
      value: written(fit.recall),
      words: _("Share of gold sets fully contained in the top k."),
    },
    { title: _("Coverage"), value: written(fit.coverage), words: _("Share of all gold-set tokens among the top k.") },
  ];
}

// ---- The numbers of all maps: a row for each number, a column for each map in the order of the screen

export class NumbersTable {
  constructor() {
    this.table = element("table", {});
    const box = element(
      "div",
      { class: "numbers-box", tabIndex: 0, role: "region", "aria-label": _("Numbers of the maps") },
      this.table,
    );
    this.definitions = element("dl", {});
    this.details = element("details", {}, element("summary", {}, _("About these numbers")), this.definitions);
    this.trust = div("heat-trust");
    this.root = div("heat-numbers", box, this.details, this.trust);
  }

  /** @param {SaliencyMap[]} maps  after they are painted */
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
          tr(
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
      ...[...new Set([...maps.map((map) => map.chanceWords()), ...maps.map((map) => map.seenWords())])]
        .filter(Boolean)
        .map((words) => element("p", {}, words)),
    );
  }
}

/** @param {SaliencyMap[]} maps */
const headOf = (maps) =>
  tr(
    element("td", {}),
    ...maps.map((map) =>
      element(
        "th",
        { scope: "col" },
        map.title(),
        element("small", {}, dotted(map.version, map.panel.scores && map.meaning.head)),
      ),
    ),
    element("th", { class: "definition", scope: "col" }, _("Definition")),
  );

/**
 * A number that a map has; empty where its method has no such number.
 * @param {NumberRow|undefined} row
 */
function cellOf(row) {
  if (!row) return element("td", {});
  return element(
    "td",
    { title: row.detail },
    inline(
      "numbers-value",
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

// ---- MAP between the rankings of two versions of a text, depth by depth

const DEPTHS = 12;
const CAPTION = _(
  "MAP of the top k; per depth i, share of the perturbed version's first i tokens among the original's",
);

/**
 * The words of the top k in their order.
 * @param {SaliencyMap} map
 */
const topOf = ({ order, selected, tokens }) =>
  order.filter((token) => selected.has(token)).map((token) => tokens[token].textContent ?? "");

/**
 * @param {{map: SaliencyMap, partner: SaliencyMap}[]} pairs  each map with that of the version beside it
 * @param {boolean} isChanged  whether the text is the changed version, and its partner the original
 */
export function depthsTable(pairs, isChanged) {
  const rows = pairs.map(({ map, partner }) => {
    const [original, changed] = isChanged ? [partner, map] : [map, partner];
    const { depths, map: value } = depthsOf(topOf(original), topOf(changed));
    return tr(
      element("th", { scope: "row" }, map.title()),
      element("td", {}, element("b", {}, written(value))),
      ...depths.slice(0, DEPTHS).map((depth) => element("td", {}, written(depth))),
    );
  });
  const most = Math.min(DEPTHS, Math.max(...pairs.map(({ map }) => map.selected.size), 1));
  const heads = ["i", "MAP", ...Array.from({ length: most }, (_n, i) => String(i + 1))];
  const head = tr(...heads.map((words) => element("th", { scope: "col" }, words)));
  return tableOf(head, rows, CAPTION);
}
