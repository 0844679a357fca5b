/**
 * Draws an instance as running text and answers geometric questions about it.
 *
 * Text nodes are few and long: one for each block of lines, not one for each token. Every line break, tab and
 * run of blanks stays as it was at the source (`white-space: pre-wrap`), and nothing is ever parsed as HTML.
 */
import { div, element, inline } from "./dom.js";
import { TokenMap, lowerBound } from "./tokens.js";

/** A block ends at the first line break after this many characters. */
const BLOCK_CHARS = 1500;
/** In a text longer than this, blocks out of sight are not laid out until they come near. */
const LONG_TEXT = 6000;
/** A line longer than this is put in place in two steps: the part in sight at once, the rest when there is time. */
const FIRST_CHARS = 8000;
/** A text node holds about this much of a long line: a mark makes the browser paint only its own node anew. */
const NODE_CHARS = 4000;
const REST_MS = 120;
/** Height of a line in panel.css, and of the box of a line's text in it, at the usual size. */
const LINE_PIXELS = 36;
const TEXT_PIXELS = 20;

/** @typedef {[start: number, end: number]} Cut  characters of a segment */
/** @typedef {{start: number, end: number, node: Text}} Piece  characters [start, end) of a segment */
/** @typedef {{start: number, end: number, root: HTMLElement}} Block */
/** @typedef {{low: number, high: number, on: boolean}} Place  see placeAt */

/** @type {Instance}  what is drawn before a text comes */
const NOTHING = { id: 0, key: "", segments: [], target: null };

export class TextView {
  /** @param {HTMLElement} host */
  constructor(host) {
    this.host = host;
    this.setting = { size: 1, space: 1 };
    this.instance = NOTHING;
    this.map = new TokenMap(NOTHING);
    /** @type {Piece[][]}  of each segment */
    this.pieces = [];
    /** @type {(HTMLElement|null)[]}  the element of each segment; null of one without text */
    this.bodies = [];
    /** @type {Block[][]} */
    this.blocks = [];
    /** @type {WeakMap<Node, {segment: number, start: number}>} */
    this.nodes = new WeakMap();
    this.long = false;
    /** @type {{index: number, cuts: Cut[]}[]}  what is put in place later */
    this.rest = [];
    this.cursor = this.#cursorLayer();
  }

  /** @param {Instance} instance @param {TokenMap} map */
  draw(instance, map) {
    this.#later?.();
    this.instance = instance;
    this.map = map;
    this.pieces = instance.segments.map(() => []);
    this.bodies = instance.segments.map(() => null);
    this.blocks = instance.segments.map(() => []);
    this.nodes = new WeakMap();
    this.long = instance.segments.reduce((sum, segment) => sum + segment.text.length, 0) > LONG_TEXT;
    this.rest = [];
    this.host.dir = map.direction;
    this.host.replaceChildren(
      ...map.order.filter((index) => instance.segments[index].text).map((index) => this.#section(index)),
    );
    this.cursor = this.#cursorLayer();
    this.host.append(this.cursor);
    this.#scheduleRest();
  }

  /** @type {(() => void)|null} */
  #later = null;

  #cursorLayer() {
    return element("div", { class: "cursor-layer", "aria-hidden": "true" });
  }

  /** @param {number} index */
  #section(index) {
    const segment = this.instance.segments[index];
    const body = element("div", {
      class: "segment-text",
      dir: this.map.directions[index],
      lang: this.instance.language || null,
      "data-segment": index,
    });
    this.bodies[index] = body;
    for (const [start, end] of blocksOf(segment.text)) {
      const root = this.#block(index, start, end);
      this.blocks[index].push({ start, end, root });
      body.append(root);
    }
    const titled = this.instance.segments.length > 1 && segment.title;
    return element(
      "section",
      { class: segment.selectable ? "segment" : "segment quiet", "data-name": segment.name },
      titled && element("h3", { class: "segment-title" }, segment.title),
      body,
    );
  }

  /** @param {number} index @param {number} start @param {number} end */
  #block(index, start, end) {
    const block = div(this.long ? "block far" : "block");
    if (this.long)
      block.style.containIntrinsicBlockSize = `auto ${this.#guessHeight(this.instance.segments[index].text.slice(start, end))}px`;
    const [from, to] = this.#targetWithin(index, start, end);
    this.#run(block, index, start, from);
    if (from < to) {
      const boxed = inline("target");
      this.#piece(boxed, index, from, to);
      block.append(boxed);
    }
    this.#run(block, index, to, end);
    return block;
  }

  /**
   * Height that a block not yet laid out is taken to have, so that the scroll bar hardly changes.
   * @param {string} text
   */
  #guessHeight(text) {
    const wide = /^(zh|ja|ko)/.test(this.instance.language || "");
    const lines = text.replace(/\n$/, "").split("\n");
    return (
      lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / (wide ? 40 : 82))), 0) * this.#linePixels
    );
  }

  get #linePixels() {
    return LINE_PIXELS * this.setting.size * this.setting.space;
  }

  /**
   * Characters of the target inside a block; an empty range at its end if there are none.
   * @param {number} index
   * @param {number} start
   * @param {number} end
   */
  #targetWithin(index, start, end) {
    const { target, first, starts } = this.map;
    if (!target || this.map.segmentOf(target[0]) !== index || !starts[index].length || target[0] < first[index])
      return [end, end];
    const from = Math.max(start, this.map.charStart(target[0]));
    const to = Math.min(end, this.map.charEnd(target[1] - 1));
    return from < to ? [from, to] : [end, end];
  }

  /** @param {HTMLElement} parent @param {number} index @param {number} start @param {number} end */
  #run(parent, index, start, end) {
    if (start >= end) return;
    const cuts = cutsOf(this.instance.segments[index].text, start, end);
    for (const [from, to] of cuts) {
      if (from - start >= FIRST_CHARS) {
        this.rest.push({ index, cuts: cuts.filter((cut) => cut[0] >= from) });
        return;
      }
      this.#piece(parent, index, from, to);
    }
  }

  /** @param {HTMLElement} parent @param {number} index @param {number} start @param {number} end */
  #piece(parent, index, start, end) {
    const piece = this.#makePiece(index, start, end);
    this.pieces[index].push(piece);
    parent.append(piece.node);
  }

  /** @param {number} index @param {number} start @param {number} end @returns {Piece} */
  #makePiece(index, start, end) {
    const node = document.createTextNode(this.instance.segments[index].text.slice(start, end));
    this.nodes.set(node, { segment: index, start });
    return { start, end, node };
  }

  /** Puts the rest of very long lines in place once what is in sight is on the screen. */
  #scheduleRest() {
    if (!this.rest.length) return;
    const timer = setTimeout(() => this.finish(), REST_MS);
    this.#later = () => clearTimeout(timer);
  }

  /** Completes the text; whoever needs a place in its unfinished part calls this first. */
  finish() {
    for (const { index, cuts } of this.rest) this.#grow(index, cuts);
    this.rest = [];
  }

  /** @param {number} index @param {Cut[]} cuts */
  #grow(index, cuts) {
    const pieces = this.pieces[index];
    const place = lowerBound(
      pieces.map((piece) => piece.start),
      cuts[0][0],
    );
    const made = cuts.map(([start, end]) => this.#makePiece(index, start, end));
    pieces[place - 1].node.after(...made.map((piece) => piece.node));
    pieces.splice(place, 0, ...made);
  }

  /** @param {number} segment @param {number} char @param {boolean} atEnd @returns {[Text, number]} */
  #point(segment, char, atEnd) {
    const pieces = this.pieces[segment];
    if (this.rest.length && char > pieces[pieces.length - 1].end) this.finish();
    let low = 0;
    let high = pieces.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (pieces[middle].start < char || (!atEnd && pieces[middle].start === char)) low = middle;
      else high = middle - 1;
    }
    if (char > pieces[low].end && this.rest.length) {
      this.finish();
      return this.#point(segment, char, atEnd);
    }
    return [pieces[low].node, Math.min(char, pieces[low].end) - pieces[low].start];
  }

  /**
   * A range over tokens [start, end) of one segment.
   * @param {number} start
   * @param {number} end
   */
  rangeOf(start, end) {
    const segment = this.map.segmentOf(start);
    const [startContainer, startOffset] = this.#point(segment, this.map.charStart(start), false);
    const [endContainer, endOffset] = this.#point(segment, this.map.charEnd(end - 1), true);
    return new StaticRange({ startContainer, startOffset, endContainer, endOffset });
  }

  /**
   * Rectangles of a token on the screen: several if it is broken over lines.
   * @param {number} token
   */
  rectsOf(token) {
    const fixed = this.rangeOf(token, token + 1);
    const range = document.createRange();
    range.setStart(fixed.startContainer, fixed.startOffset);
    range.setEnd(fixed.endContainer, fixed.endOffset);
    return [...range.getClientRects()].filter((box) => box.width > 0 || box.height > 0);
  }

  /** @param {number} token */
  boxOf(token) {
    return this.rectsOf(token)[0] || null;
  }

  /**
   * What is at a point of the window, as ranks: on a token `low === high`; between two tokens `low` is the
   * later and `high` the earlier one (so a range made of two such places spans exactly what lies between).
   * @param {number} x
   * @param {number} y
   * @returns {Place|null}
   */
  placeAt(x, y) {
    const caret = caretAt(x, y, this.host.getRootNode());
    const info = caret && this.nodes.get(caret.node);
    if (!info || !this.instance.segments[info.segment].selectable) return null;
    const char = info.start + caret.offset;
    const hit = this.#tokenUnder(info.segment, char, x, y);
    if (hit >= 0) {
      const rank = this.map.rankOf(hit);
      return { low: rank, high: rank, on: true };
    }
    const low = this.map.gapRank(info.segment, this.map.tokenAfter(info.segment, char));
    return { low, high: low - 1, on: false };
  }

  /**
   * A caret stands between two characters: the token is whichever of its neighbours has the point in its box.
   * @param {number} segment
   * @param {number} char
   * @param {number} x
   * @param {number} y
   */
  #tokenUnder(segment, char, x, y) {
    for (const token of [this.map.tokenAt(segment, char), this.map.tokenAt(segment, char - 1)]) {
      if (token >= 0 && this.rectsOf(token).some((box) => within(box, x, y, this.leading))) return token;
    }
    return -1;
  }

  /**
   * Like placeAt, for points that may lie outside the text while one drags: the nearest place in it.
   * @param {number} x
   * @param {number} y
   * @param {number} top
   * @param {number} bottom
   */
  placeNear(x, y, top, bottom) {
    const body = this.#bodyNear(Math.min(Math.max(y, top + 1), bottom - 1));
    if (!body) return null;
    const box = body.getBoundingClientRect();
    const inY = Math.min(Math.max(y, box.top + 2, top + 1), box.bottom - 2, bottom - 1);
    const inX = Math.min(Math.max(x, box.left + 1), box.right - 1);
    return this.placeAt(inX, inY);
  }

  /** @param {number} y */
  #bodyNear(y) {
    /** @type {HTMLElement|null} */
    let nearest = null;
    let least = Infinity;
    for (const index of this.map.reading) {
      const body = this.bodies[index];
      if (!body) continue;
      const box = body.getBoundingClientRect();
      const away = y < box.top ? box.top - y : Math.max(0, y - box.bottom);
      if (away < least) [nearest, least] = [body, away];
    }
    return nearest;
  }

  /** Half the space between the boxes of two lines: pointing there still means the line. */
  get leading() {
    return Math.max(0, (this.#linePixels - TEXT_PIXELS * this.setting.size) / 2);
  }

  /**
   * What tells how far down in the text a token stands, from 0 to 1, without laying out what is out of sight: by the
   * block that it is in and its part of the block's characters.
   * @param {DOMRect} text  where the whole text is now
   * @returns {(token: number) => number}
   */
  measure({ top, height }) {
    /** @type {Map<HTMLElement, DOMRect>} */
    const boxes = new Map();
    const starts = this.blocks.map((blocks) => blocks.map(({ start }) => start));
    return (token) => {
      const segment = this.map.segmentOf(token);
      const char = this.map.charStart(token);
      const { start, end, root } = this.blocks[segment][Math.max(0, lowerBound(starts[segment], char + 1) - 1)];
      const box = boxes.get(root) ?? root.getBoundingClientRect();
      boxes.set(root, box);
      return (box.top - top + ((char - start) / (end - start)) * box.height) / height;
    };
  }

  /**
   * The token about so far down in the text, from 0 to 1.
   * @param {number} part
   */
  tokenAtPart(part) {
    const text = this.host.getBoundingClientRect();
    const y = text.top + part * text.height;
    /** @type {{away: number, segment: number, char: number}|null} */
    let nearest = null;
    for (const segment of this.map.reading) {
      for (const { start, end, root } of this.blocks[segment]) {
        const { top, bottom, height } = root.getBoundingClientRect();
        const away = Math.max(0, top - y, y - bottom);
        if (nearest && nearest.away <= away) continue;
        const share = height ? Math.min(1, Math.max(0, (y - top) / height)) : 0;
        nearest = { away, segment, char: start + share * (end - start) };
      }
    }
    return nearest ? this.map.tokenNear(nearest.segment, nearest.char) : null;
  }

  /**
   * Draws the box around the token cursor, or takes it away.
   * @param {number|null} token
   */
  showCursor(token) {
    if (token === null) return this.cursor.replaceChildren();
    const origin = this.host.getBoundingClientRect();
    const boxes = this.rectsOf(token).map((box) =>
      element("div", {
        class: "cursor-box",
        style: `left:${box.left - origin.left - 3}px;top:${box.top - origin.top - 2}px;width:${box.width + 6}px;height:${box.height + 4}px`,
      }),
    );
    this.cursor.replaceChildren(...boxes);
  }
}

/**
 * Cuts a text at line breaks into blocks of at least BLOCK_CHARS.
 * @param {string} text
 * @returns {Cut[]}
 */
function blocksOf(text) {
  /** @type {Cut[]} */
  const blocks = [];
  let start = 0;
  while (start < text.length) {
    const at = text.indexOf("\n", start + BLOCK_CHARS);
    const end = at < 0 ? text.length : at + 1;
    blocks.push([start, end]);
    start = end;
  }
  return blocks;
}

/** After these nothing is joined to what follows: no ligature, no joined letters, no combining mark is torn apart. */
const CUT_AFTER = /[ \t\n。，、！？；：]/g;

/**
 * Cuts a long line for its text nodes; a line without any place to cut stays whole.
 * @param {string} text
 * @param {number} start
 * @param {number} end
 * @returns {Cut[]}
 */
function cutsOf(text, start, end) {
  /** @type {Cut[]} */
  const cuts = [];
  let from = start;
  while (end - from > NODE_CHARS * 1.5) {
    CUT_AFTER.lastIndex = from + NODE_CHARS;
    if (!CUT_AFTER.test(text) || CUT_AFTER.lastIndex >= end) break;
    cuts.push([from, CUT_AFTER.lastIndex]);
    from = CUT_AFTER.lastIndex;
  }
  return [...cuts, [from, end]];
}

/** @param {DOMRect} box @param {number} x @param {number} y @param {number} leading */
const within = (box, x, y, leading) =>
  x >= box.left && x <= box.right && y >= box.top - leading && y <= box.bottom + leading;

/**
 * Text node and offset at a point, through the shadow root.
 * @param {number} x
 * @param {number} y
 * @param {Node} root
 */
function caretAt(x, y, root) {
  if (document.caretPositionFromPoint) {
    const shadowRoots = root instanceof ShadowRoot ? [root] : [];
    const caret = document.caretPositionFromPoint(x, y, { shadowRoots });
    return caret && { node: caret.offsetNode, offset: caret.offset };
  }
  const range = document.caretRangeFromPoint?.(x, y);
  return range ? { node: range.startContainer, offset: range.startOffset } : null;
}

// ---- A text and its changed version as one: what was there alone struck through, what is new marked

/**
 * @param {Array<[string, string, string]>} pieces  kind of run, text before, text after
 * @param {(text: string, isFirst: boolean, isLast: boolean) => string} [keep]  what is shown of a piece that stayed
 * @returns {Array<Node|string>}
 */
export function pieceNodes(pieces, keep = (text) => text) {
  return pieces.flatMap(([kind, before, after], place) => {
    if (kind === "kept") return [keep(after, place === 0, place === pieces.length - 1)];
    const isBoth = kind === "replaced";
    return [
      ...marked("del", before, isBoth),
      ...(isBoth ? marked("ins", after.trimStart(), isBoth) : marked("ins", after)),
    ];
  });
}

/**
 * The white space before the words stands outside of the mark; of a replacement it stands there once.
 * @param {"del"|"ins"} tag
 * @param {string} text
 */
function marked(tag, text, isBoth = false) {
  const words = text.trimStart();
  return text
    ? [text.slice(0, text.length - words.length), element(tag, { class: isBoth ? "replaced" : "" }, words)]
    : [];
}
