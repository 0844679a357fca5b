/**
 * What is on screen as a file: the choice of a form, a page of its own, a piece of LaTeX, a table. Drawings and
 * pictures: drawing.js.
 */
import { openDialog } from "../shared/dialogs.js";
import { button, div, element, parts, treeOf } from "../shared/dom.js";
import { _, inEnglish } from "../words/language.js";
import {
  drawingOf,
  escaped,
  keepSubwords,
  mapsOfSubwords,
  pictureOf,
  shownSubwords,
  wordsOf,
  writtenWords,
} from "./drawing.js";
import { ownerOf, signOf } from "./shown_sets.js";

/**
 * One HTML page without scripts or anything from elsewhere, in the light theme.
 * @param {string} title
 * @param {string} sheets
 * @param {...HTMLElement} contents
 */
function htmlOf(title, sheets, ...contents) {
  const page = element("div", {}, ...contents.map((content) => content.cloneNode(true)));
  for (const select of parts(page, "header select", HTMLSelectElement)) select.replaceWith(select.dataset.words || "");
  keepSubwords(page);
  for (const made of page.querySelectorAll("button, input, select")) made.remove();
  return (
    `<!doctype html><html lang="${document.documentElement.lang || "en"}"><meta charset="utf-8"><title>${escaped(title)}</title><style>${sheets}.heat-text{max-height:none!important}.heat-where{margin-bottom:12px}</style>` +
    `<body style="margin:0;padding:16px"><div class="panel saliency" data-theme="light" style="display:block">${page.innerHTML}</div></body></html>`
  );
}

/**
 * For a paper: \colorbox for heat, \fbox for the top k, sets as superscripts. Needs xcolor.
 * @param {SaliencyMap[]} maps
 */
function latexOf(maps) {
  const lines = [
    "% needs \\usepackage{xcolor}; orange supports, blue opposes, violet is an unsigned weight, boxes are the top k, letters are gold sets, numbers are people",
  ];
  for (const map of maps) {
    lines.push(
      ...(map.view.people ?? []).map(({ name }, person) => `% ${person + 1}: ${tex(name.replace(/\s+/gu, " "))}`),
      `\\noindent\\textbf{${tex(`${map.title()} · ${map.view.instance.key}`)}} {\\small ${tex([map.legendLine(), ...map.remarks.map(({ words }) => words)].join(" · "))}}\\par`,
      ...texAnswer(map),
      "{\\setlength{\\fboxsep}{1pt}%",
    );
    const words = wordsOf(map.view);
    // The end of a line is TeX's blank between two words; a percent sign takes it away.
    lines.push(
      words
        .map(({ word, token }, place) => texWord(map, token, word) + (words[place + 1]?.before === "" ? "%" : ""))
        .join("\n"),
      "\\par}",
    );
  }
  return `${lines.join("\n")}\n`;
}

/**
 * What was written: the subword that is explained in bold, earlier ones with what they counted.
 * @param {SaliencyMap} map
 */
function texAnswer(map) {
  const subwords = shownSubwords(map).map(({ words, score, isChosen }) => {
    const rgb = map.shade(score);
    const text = isChosen ? `\\textbf{${tex(words)}}` : `\\strut ${tex(words)}`;
    const heat = rgb ? `\\colorbox[RGB]{${rgb.join(",")}}{${text}}` : text;
    return score === null ? heat : `${heat}\\textsubscript{${tex(map.meaning.number(score))}}`;
  });
  return subwords.length
    ? [`{\\setlength{\\fboxsep}{1pt}{\\small ${tex(writtenWords(map))}} ${subwords.join(" ")}\\par}`]
    : [];
}

/** @param {SaliencyMap} map @param {number} token @param {string} word */
function texWord(map, token, word) {
  const rgb = map.shadeOf(token);
  const { view } = map;
  const sets = view.gold.flatMap((tokens, set) => (tokens.includes(token) ? [signOf(view, set)] : []));
  let text = `\\strut ${tex(word)}`;
  if (rgb) text = `\\colorbox[RGB]{${rgb.join(",")}}{${text}}`;
  if (map.selected.has(token)) text = `\\fbox{${text}}`;
  return sets.length ? `${text}\\textsuperscript{${sets.join(view.people ? "," : "")}}` : text;
}

/**
 * The scores of the maps on screen, a line for each token and map. label: "" where the scores belong to none. Of a
 * written answer the map of all subwords (piece: "") and those of each, with those before it (part: answer).
 * @param {SaliencyMap[]} maps
 */
export function csvOf(maps) {
  const whose = maps.some(({ view }) => view.people) ? "marked_by" : "gold_sets";
  const ofAnswers = maps.some(({ answer }) => answer) ? ["written", "piece", "part"] : [];
  const head = ["instance", "map", "label", "signed", "token_index", "token", "score", "rank", "in_top_k", whose];
  const rows = maps.flatMap((map) =>
    mapsOfSubwords(map).flatMap((one) => [...rowsOfWords(map, one), ...rowsOfEarlier(map, one)]),
  );
  return [[...head, ...ofAnswers], ...rows].map((row) => row.map(cell).join(",")).join("\r\n");
}

/** @param {SaliencyMap} map @param {import("./drawing.js").MapOfSubword} one @returns {(string|number)[][]} */
function rowsOfWords(map, one) {
  const { view, answer } = map;
  return wordsOf(view).map(({ word, token }) => {
    const sets = view.gold.flatMap((tokens, set) => (tokens.includes(token) ? [set] : []));
    return [
      ...ofMap(map),
      token,
      word,
      one.panel.scores?.[token] ?? "",
      one.ranks.get(token) ?? "",
      one.selected.has(token) ? 1 : 0,
      view.people ? sets.map((set) => ownerOf(view, set)).join("; ") : sets.map((set) => signOf(view, set)).join(" "),
      ...(answer ? ofSubword(answer, one.step, "text") : []),
    ];
  });
}

/** @param {SaliencyMap} map @param {import("./drawing.js").MapOfSubword} one @returns {(string|number)[][]} */
function rowsOfEarlier(map, { panel, step }) {
  const { answer } = map;
  if (!answer) return [];
  const { subwords } = answer.panel.written;
  return (panel.earlier ?? []).map((score, subword) => [
    ...ofMap(map),
    subword,
    subwords[subword],
    score,
    "",
    "",
    "",
    ...ofSubword(answer, step, "answer"),
  ]);
}

/** @param {SaliencyMap} map @returns {(string|number)[]} */
const ofMap = (map) => {
  const { label, is_signed } = (map.answer ?? map).panel;
  return [map.view.instance.key, map.title(), label, is_signed ? 1 : 0];
};

/**
 * @param {NonNullable<SaliencyMap["answer"]>} answer
 * @param {number|null} step
 * @param {"text"|"answer"} part
 * @returns {(string|number)[]}
 */
const ofSubword = ({ panel }, step, part) => [
  panel.written.subwords.join("").trim(),
  step === null ? "" : step + 1,
  part,
];

/**
 * A formula of a spreadsheet must not run: such a text begins with an apostrophe (as in formats/rows/gold_csv.py).
 * @param {string|number} value
 */
function cell(value) {
  const isFormula =
    typeof value === "string" &&
    /^[=+\-@\t\r\n＝＋－＠]/.test(value) &&
    !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value);
  const text = isFormula ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** @param {Blob|string} content @param {string} name @param {string} type */
export function save(name, type, content) {
  const link = Object.assign(document.createElement("a"), {
    href: URL.createObjectURL(new Blob([content], { type })),
    download: name,
  });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** @type {Record<string, string>} */
const TEX = {
  "\\": "\\textbackslash{}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
  "−": "$-$",
  "↵": "$\\hookleftarrow$",
  "<": "\\textless{}",
  ">": "\\textgreater{}",
  "|": "\\textbar{}",
};
/** Signs as they are, also two of which TeX makes one (-- '' ?`). @param {string} text */
const tex = (text) =>
  text.replace(/[\\~^−↵<>|]|[&%$#_{}]/g, (sign) => TEX[sign] || `\\${sign}`).replace(/[-`',?!](?=[-`',])/g, "$&{}");

// ---- The choice of a form, and what is offered where one cannot be had

/** @typedef {(kind: FileKind) => unknown} Save */

/** @type {[label: string, words: string, kind: FileKind][]} */
const KINDS = [
  ["HTML", _("a web page without scripts"), "html"],
  ["SVG", _("a drawing, for slides and papers"), "svg"],
  ["PNG", _("picture at double resolution"), "png"],
  ["LaTeX", _("coloured boxes, for a paper (needs xcolor)"), "tex"],
  ["CSV", _("one row per token and heatmap"), "csv"],
];

/** @param {HTMLElement} root @param {Save} save */
export function openExport(root, save) {
  const rows = KINDS.map(([label, words, kind]) =>
    div("export-row", button(label, { onclick: () => (dialog.close(), save(kind)) }), words),
  );
  const dialog = openDialog(root, _("Export the heatmaps"), ...rows);
}

/**
 * A file that could not be made, and a drawing instead.
 * @param {HTMLElement} root
 * @param {string} refusal
 * @param {Save} save
 */
function offerDrawing(root, refusal, save) {
  const dialog = openDialog(
    root,
    _("The file could not be made"),
    element("p", { class: "dialog-words", role: "alert" }, refusal),
    div(
      "dialog-foot",
      button(_("Save as SVG"), { className: "primary", onclick: () => (dialog.close(), save("svg")) }),
    ),
  );
}

// ---- Files of what is on the screen

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
