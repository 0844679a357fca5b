/**
 * The maps as a drawing (SVG), and that as a picture (PNG), what was written among them. Both are made in the browser
 * and hold nothing from elsewhere.
 */
import { parts } from "../shared/dom.js";
import { LANE } from "../shared/set_styles.js";
import { _, dotted } from "../words/language.js";
import { colourOf, hexOf } from "./heat_scale.js";
import { orderOf, ranksOf, selectedOf, written } from "./map_numbers.js";
import { lookOfSet, ownerOf, signOf } from "./shown_sets.js";

// ---- What a model wrote, as files hold it: all pieces, which is explained, what earlier ones counted

/**
 * A piece as it is seen. score: what it counted for the one that is explained; null of this one and of later ones.
 * @typedef {{words: string, score: number|null, isChosen: boolean}} ShownPiece
 */

/** Which map it is, in words. @param {SaliencyMap} map */
export function writtenWords({ answer }) {
  if (!answer) return "";
  const { model, written } = answer.panel;
  if (answer.step === null) return _("{model} wrote:", { model });
  const values = { model, step: answer.step + 1, n: written.pieces.length };
  return _("Piece {step} of {n} of what {model} wrote:", values);
}

/** @param {SaliencyMap} map @returns {ShownPiece[]} */
export function shownPieces({ answer }) {
  if (!answer) return [];
  const earlier = answer.shown.earlier ?? [];
  return answer.buttons.map((made, step) => ({
    words: made.textContent ?? "",
    score: earlier[step] ?? null,
    isChosen: step === answer.step,
  }));
}

/**
 * A map of its own; step: the piece that it explains, null of all pieces together and where nothing was written.
 * @typedef {Pick<SaliencyMap, "panel"|"ranks"|"selected"> & {step: number|null}} MapOfPiece
 */

/**
 * The map, and of a written answer the one of all pieces and those of each.
 * @param {SaliencyMap} map
 * @returns {MapOfPiece[]}
 */
export function mapsOfPieces(map) {
  const { answer } = map;
  if (!answer) return [{ step: null, panel: map.panel, ranks: map.ranks, selected: map.selected }];
  return [null, ...answer.buttons.keys()].map((step) => {
    const panel = answer.panelOf(step);
    const order = orderOf(panel);
    return { step, panel, ranks: ranksOf(order), selected: selectedOf(panel, map.view.sides, map.counts, order) };
  });
}

/** The pieces of a page that has no buttons: as text, with their numbers. @param {ParentNode} page */
export function keepPieces(page) {
  for (const row of parts(page, ".heat-written-pieces", HTMLElement)) {
    row.setAttribute("role", "group");
    row.classList.toggle("with-numbers", row.querySelector("[data-score]") !== null);
  }
  for (const made of parts(page, "button.written-piece[data-step]", HTMLButtonElement)) {
    const text = document.createElement("span");
    text.textContent = made.textContent;
    text.title = made.title;
    text.className = `${made.className}${made.getAttribute("aria-pressed") === "true" ? " chosen" : ""}`;
    const score = made.getAttribute("data-score");
    if (score !== null) text.setAttribute("data-score", score);
    made.replaceWith(text);
  }
}

const WIDTH = 760;
const GAP = 24;
const LINE = 26;
const FONT = 15;
const SMALL = 12;
/** Higher drawings stand in several columns, so that a picture of a long text keeps below what browsers can draw. */
const HIGHEST = 16_000;
const BEST_SCALE = 2;
/** Firefox draws at most 32,767 pixels a side, Chromium 65,535 and 2^28 in all; half of that is 512 MB of memory. */
const MOST_SIDE = 32_767;
const MOST_PIXELS = 2 ** 27;

/**
 * @param {SaliencyMap[]} maps  in the order of the screen
 * @returns {{svg: string, width: number, height: number}}
 */
export function drawingOf(maps) {
  const pen = penOf(document.createElement("canvas"));
  const blocks = maps.map((map) => blockOf(map, pen));
  const parts = [];
  let [column, y, height] = [0, GAP, GAP];
  for (const block of blocks) {
    if (y > GAP && y + block.height > HIGHEST) [column, y] = [column + 1, GAP];
    parts.push(`<g transform="translate(${GAP + column * (WIDTH + GAP)} ${y})">${block.body}</g>`);
    y += block.height;
    height = Math.max(height, y);
  }
  const width = GAP + (column + 1) * (WIDTH + GAP);
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="${FONT}">` +
    `<rect width="100%" height="100%" fill="#fff"/>${parts.join("")}</svg>`;
  return { svg, width, height };
}

/**
 * What draws on a canvas, which a browser gives for the first context that is asked for.
 * @param {HTMLCanvasElement} canvas
 */
function penOf(canvas) {
  const pen = canvas.getContext("2d");
  if (!pen) throw new TypeError(_("This browser draws no pictures."));
  return pen;
}

/**
 * One map: its title, the words, the legend.
 * @param {SaliencyMap} map
 * @param {CanvasRenderingContext2D} pen
 */
function blockOf(map, pen) {
  const { view } = map;
  const { lanes } = view;
  const line = LINE + LANE * lanes;
  const title = dotted(map.title(), view.instance.key, map.answerWords());
  const parts = [textAt(fitted(pen, title, `bold ${FONT}px sans-serif`), 0, 12, 'font-weight="bold"')];
  const remarks = map.remarks.map(({ words }, nth) =>
    small(fitted(pen, words, `${SMALL}px sans-serif`), 0, 32 + 18 * nth),
  );
  parts.push(...remarks);
  const answer = answerAt(map, pen, 12 + 18 * remarks.length);
  parts.push(answer.body);
  pen.font = `${FONT}px sans-serif`;
  const isRightToLeft = map.text.matches(":dir(rtl)");
  let [x, y] = [0, 12 + 18 * remarks.length + answer.height + LINE + 4];
  for (const { word, token, before } of wordsOf(view)) {
    const shown = fitted(pen, word, pen.font);
    const width = pen.measureText(shown).width;
    const gap = before ? pen.measureText(" ").width : 0;
    if (before.includes("\n") || x + gap + width > WIDTH) [x, y] = [0, x === 0 ? y : y + line];
    else x += gap;
    parts.push(wordAt(map, token, shown, isRightToLeft ? WIDTH - x - width : x, y, width, lanes));
    x += width;
  }
  y += line;
  const gold = goldAt(view, y + 18, pen);
  parts.push(legendAt(map, y), gold.body);
  return { body: parts.join(""), height: y + gold.height + 2 * GAP };
}

/**
 * What was written, in boxes: the piece that is explained in bold, below earlier ones what they counted for it.
 * @param {SaliencyMap} map
 * @param {CanvasRenderingContext2D} pen
 * @param {number} top
 */
function answerAt(map, pen, top) {
  const pieces = shownPieces(map);
  if (!pieces.length) return { body: "", height: 0 };
  const isRightToLeft = map.answer?.row.matches(":dir(rtl)") ?? false;
  const parts = [small(fitted(pen, writtenWords(map), `${SMALL}px sans-serif`), 0, top + 18)];
  let [x, y] = [0, top + 18 + LINE];
  for (const piece of pieces) {
    const weight = piece.isChosen ? "bold " : "";
    const words = fitted(pen, piece.words, `${weight}${FONT}px sans-serif`);
    const number = piece.score === null ? "" : map.meaning.number(piece.score);
    const width = Math.min(WIDTH, Math.max(pen.measureText(words).width + 10, 6 * number.length));
    if (x && x + width > WIDTH) [x, y] = [0, y + LINE + 14];
    parts.push(pieceAt(map, { ...piece, words }, number, isRightToLeft ? WIDTH - x - width : x, y, width));
    x += width + 6;
  }
  return { body: parts.join(""), height: y + 20 - top };
}

/**
 * @param {SaliencyMap} map
 * @param {ShownPiece} piece
 * @param {string} number
 * @param {number} x
 * @param {number} y
 * @param {number} width
 */
function pieceAt(map, { words, score, isChosen }, number, x, y, width) {
  const rgb = map.shade(score);
  const looks = `fill="${rgb ? hexOf(rgb) : "#fff"}" stroke="${isChosen ? "#111" : "#888"}" rx="4"`;
  const middle = x + width / 2;
  return [
    `<rect x="${round(x)}" y="${y - 16}" width="${round(width)}" height="21" ${looks}/>`,
    textAt(words, middle, y, `text-anchor="middle"${isChosen ? ' font-weight="bold"' : ""}`),
    number && textAt(number, middle, y + 16, 'text-anchor="middle" font-size="10"'),
  ].join("");
}

/**
 * @param {SaliencyMap} map
 * @param {number} token
 * @param {string} word
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} lanes
 */
function wordAt(map, token, word, x, y, width, lanes) {
  const rgb = map.shadeOf(token);
  const box = `x="${round(x)}" y="${y - 16}" width="${round(width)}"`;
  const parts = [rgb && `<rect ${box} height="21" fill="${hexOf(rgb)}"/>`];
  if (map.selected.has(token))
    parts.push(`<rect ${box} height="${21 + LANE * lanes}" fill="none" stroke="#111" stroke-width="1.4"/>`);
  map.view.gold.forEach((tokens, set) => {
    if (tokens.includes(token)) parts.push(underline(map.view, set, x, x + width, y + 7 + LANE * (set % lanes)));
  });
  parts.push(textAt(word, x, y));
  return parts.filter(Boolean).join("");
}

/** @type {Record<string, string>} */
const DASHES = { dashed: "6 3", dotted: "3 2", wavy: "1.5 1.5" };

/** @param {HeatView} view @param {number} set @param {number} x1 @param {number} x2 @param {number} y */
function underline(view, set, x1, x2, y) {
  const { color, style } = lookOfSet(view, set, false);
  /** @param {number} at @param {number} thick */
  const line = (at, thick) =>
    `<line x1="${round(x1)}" x2="${round(x2)}" y1="${at}" y2="${at}" stroke="${color}" stroke-width="${thick}"${DASHES[style] ? ` stroke-dasharray="${DASHES[style]}"` : ""}/>`;
  return style === "double" ? line(y - 1, 1) + line(y + 1, 1) : line(y, 2.4);
}

/**
 * The colours with the numbers at both ends, and what they mean.
 * @param {SaliencyMap} map
 * @param {number} y
 */
function legendAt(map, y) {
  const legend = map.legendWords();
  if (!legend.bar) return small(legend.words, 0, y);
  const steps = Array.from({ length: 20 }, (_n, step) => {
    const part = legend.isSigned ? (step - 9.5) / 10 : (step + 0.5) / 20;
    return `<rect x="${60 + step * 6}" y="${y - 9}" width="6.3" height="10" fill="${hexOf(colourOf(part, legend.isSigned))}"/>`;
  });
  return (
    `${small(written(legend.low), 54, y, 'text-anchor="end"')}${steps.join("")}<rect x="60" y="${y - 9}" width="120" height="10" fill="none" stroke="#888"/>` +
    small(`${written(legend.high)}   ${legend.words}`, 186, y)
  );
}

/**
 * The lanes with what they are called, in as many lines as they need.
 * @param {HeatView} view
 * @param {number} top
 * @param {CanvasRenderingContext2D} pen
 */
function goldAt(view, top, pen) {
  let [x, y] = [0, top];
  const body = view.gold.map((tokens, set) => {
    const name = view.people ? `${signOf(view, set)} ${ownerOf(view, set)}` : signOf(view, set);
    const words = fitted(pen, `${name} (${tokens.length})`, `${SMALL}px sans-serif`);
    const width = Math.max(84, 32 + pen.measureText(words).width + 16);
    if (x && x + width > WIDTH) [x, y] = [0, y + 18];
    const drawn = underline(view, set, x, x + 26, y - 4) + small(words, x + 32, y);
    x += width;
    return drawn;
  });
  return { body: body.join(""), height: view.gold.length ? y - top + 18 : 0 };
}

/**
 * A token that is wider than the drawing is cut, and says so with dots.
 * @param {CanvasRenderingContext2D} pen
 * @param {string} word
 * @param {string} font
 */
function fitted(pen, word, font) {
  pen.font = font;
  if (pen.measureText(word).width <= WIDTH) return word;
  let length = word.length;
  while (length > 1 && pen.measureText(`${word.slice(0, length)}…`).width > WIDTH) length = Math.floor(length * 0.9);
  return `${word.slice(0, length)}…`;
}

/** @param {HeatView} view */
export function wordsOf(view) {
  return view.segments.flatMap((segment, at) =>
    segment.tokens.map((word, place) => ({
      word,
      token: segment.first + place,
      before: place || !at ? segment.before[place] : "\n",
    })),
  );
}

/** @param {number} value */
const round = (value) => Math.round(value * 10) / 10;
/** @param {string} words @param {number} x @param {number} y */
const textAt = (words, x, y, more = "") =>
  `<text x="${round(x)}" y="${y}" fill="#111" xml:space="preserve" ${more}>${xml(words)}</text>`;
/** @param {string} words @param {number} x @param {number} y */
const small = (words, x, y, more = "") => textAt(words, x, y, `font-size="${SMALL}" ${more}`);

const NOT_IN_XML =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * Text for XML, which knows no control signs and no halves of pairs, however they are written.
 * @param {string} text
 */
function xml(text) {
  return escaped(text.replace(NOT_IN_XML, "\ufffd"));
}

/** Text that stands in markup as it is. @param {string} text */
export const escaped = (text) => text.replace(/[&<>"']/g, (sign) => `&#${sign.codePointAt(0)};`);

/**
 * How many pixels a picture has for each unit of the drawing: 2, or as many as browsers draw of a large one.
 * @param {number} width
 * @param {number} height
 * @returns {number|null}  null where that is fewer than 1, so that words could not be read
 */
export function pictureScale(width, height) {
  const scale = Math.min(BEST_SCALE, MOST_SIDE / Math.max(width, height), Math.sqrt(MOST_PIXELS / (width * height)));
  return scale < 1 ? null : scale;
}

/**
 * The drawing as a picture of twice its size, or smaller where that is too large.
 * @param {ReturnType<typeof drawingOf>} given
 * @returns {Promise<{blob: Blob|null, refusal: string}>}  refusal: why there is none, and what to do
 */
export async function pictureOf({ svg, width, height }) {
  const scale = pictureScale(width, height);
  const size = `${width.toLocaleString("en")} × ${Math.ceil(height).toLocaleString("en")} pixels`;
  if (scale === null)
    return {
      blob: null,
      refusal: _(
        "The picture would have {size}, which is more than browsers can draw. Save it as SVG, which has no such limit, or remove some maps.",
        { size },
      ),
    };
  const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = await loaded(address);
    // A browser that is short of memory may still draw the smaller one.
    const blob =
      (await painted(image, width, height, scale)) || (scale > 1 ? await painted(image, width, height, 1) : null);
    return { blob, refusal: blob ? "" : undrawn(size) };
  } catch {
    return { blob: null, refusal: undrawn(size) };
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** @param {string} size */
const undrawn = (size) =>
  _("This browser could not draw a picture of {size}. Save it as SVG, or remove some maps.", { size });

/** @param {string} address */
function loaded(address) {
  return new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => resolve(image);
    image.onerror = reject;
    image.src = address;
  });
}

/** @param {HTMLImageElement} image @param {number} width @param {number} height @param {number} scale */
function painted(image, width, height, scale) {
  const canvas = Object.assign(document.createElement("canvas"), {
    width: Math.floor(width * scale),
    height: Math.floor(height * scale),
  });
  penOf(canvas).drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => {
    canvas.toBlob(resolve, "image/png");
  });
}
