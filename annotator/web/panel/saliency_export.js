/** What is on screen as a file: a page of its own, a drawing, a piece of LaTeX. */
import { colourOf, hexOf } from "./saliency_heat.js";
import { letterOf } from "./model.js";
import { lookOf } from "./palette.js";

const WIDTH = 760;
const LINE = 30;
const FONT = 15;

/** One HTML page without scripts or anything from elsewhere. */
export function htmlOf(title, sheets, content) {
  const clone = content.cloneNode(true);
  for (const made of clone.querySelectorAll("button, input, select")) made.remove();
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escaped(title)}</title><style>${sheets}</style>`
    + `<body class="panel saliency" style="padding:16px">${clone.outerHTML}</body></html>`;
}

/** The maps below one another, words as they are measured. */
export function svgOf(view, maps) {
  const measure = document.createElement("canvas").getContext("2d");
  measure.font = `${FONT}px sans-serif`;
  const parts = [];
  let y = 0;
  for (const map of maps) {
    y += LINE;
    parts.push(`<text x="0" y="${y - 10}" font-weight="bold">${escaped(map.title())}</text>`);
    let x = 0;
    y += LINE;
    for (const { word, token, before } of wordsOf(view)) {
      const gap = before ? measure.measureText(before.includes("\n") ? " " : before).width : 0;
      const width = measure.measureText(word).width;
      if (before.includes("\n") || x + gap + width > WIDTH) [x, y] = [0, y + LINE];
      else x += gap;
      parts.push(...wordAt(map, view, token, word, x, y, width));
      x += width;
    }
    y += 12;
  }
  const body = parts.join("");
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y + 8}" font-family="sans-serif" font-size="${FONT}"><rect width="100%" height="100%" fill="#fff"/>${body}</svg>`;
}

function wordAt(map, view, token, word, x, y, width) {
  const rgb = shade(map, token);
  const parts = [rgb && `<rect x="${x}" y="${y - 16}" width="${width}" height="21" fill="${hexOf(rgb)}"/>`];
  if (map.selected.has(token)) parts.push(`<rect x="${x - 1}" y="${y - 17}" width="${width + 2}" height="23" fill="none" stroke="#111" stroke-width="1.3"/>`);
  view.gold.forEach((tokens, set) => {
    if (tokens.includes(token)) parts.push(`<line x1="${x}" x2="${x + width}" y1="${y + 8 + 3 * (set % 3)}" y2="${y + 8 + 3 * (set % 3)}" stroke="${lookOf(set, false).color}" stroke-width="2"/>`);
  });
  parts.push(`<text x="${x}" y="${y}" fill="#111">${escaped(word)}</text>`);
  return parts.filter(Boolean);
}

/** For a paper: \colorbox for heat, \fbox for the top k, sets as superscripts. Needs xcolor. */
export function latexOf(view, maps) {
  const lines = ["% needs \\usepackage{xcolor}; orange supports, blue opposes, boxes are the top k, letters are gold sets"];
  for (const map of maps) {
    lines.push(`\\noindent\\textbf{${tex(map.title())}}\\par`, "{\\setlength{\\fboxsep}{1pt}%");
    lines.push(wordsOf(view).map(({ word, token, before }) => (before && token ? " " : "") + texWord(map, view, token, word)).join("%\n"), "\\par}");
  }
  return `${lines.join("\n")}\n`;
}

function texWord(map, view, token, word) {
  const rgb = shade(map, token);
  const sets = view.gold.map((tokens, set) => (tokens.includes(token) ? letterOf(set) : "")).join("");
  let text = `\\strut ${tex(word)}`;
  if (rgb) text = `\\colorbox[RGB]{${rgb.join(",")}}{${text}}`;
  if (map.selected.has(token)) text = `\\fbox{${text}}`;
  return sets ? `${text}\\textsuperscript{${sets}}` : text;
}

function shade(map, token) {
  const score = map.panel.scores?.[token] ?? null;
  return score && map.scale ? colourOf(score / map.scale) : null;
}

function wordsOf(view) {
  return view.segments.flatMap((segment, at) => segment.tokens.map((word, place) => ({ word, token: segment.first + place, before: place || !at ? segment.before[place] : "\n" })));
}

/** The numbers of the panels on screen, a line a token and panel. */
export function csvOf(view, maps) {
  const rows = [["instance", "panel", "token_index", "token", "score", "rank", "in_top_k", "gold_sets"]];
  for (const map of maps) {
    for (const { word, token } of wordsOf(view)) {
      const score = map.panel.scores?.[token] ?? null;
      const sets = view.gold.map((tokens, set) => (tokens.includes(token) ? letterOf(set) : "")).join(" ").trim();
      rows.push([view.instance.key, map.title(), token, word, score ?? "", map.ranks.get(token) ?? "", map.selected.has(token) ? 1 : 0, sets]);
    }
  }
  return rows.map((row) => row.map(cell).join(",")).join("\r\n");
}

/** A formula of a spreadsheet must not run: such a text begins with an apostrophe. */
function cell(value) {
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function save(name, type, text) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const escaped = (text) => text.replace(/[&<>"']/g, (sign) => `&#${sign.codePointAt(0)};`);
const TEX = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}" };
const tex = (text) => text.replace(/[\\~^]|[&%$#_{}]/g, (sign) => TEX[sign] || `\\${sign}`);
