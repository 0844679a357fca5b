/**
 * Draws an instance as running text and answers geometric questions about it.
 *
 * Text nodes are few and long: one for each block of lines, not one for each token. Every line break, tab and
 * run of blanks stays as it was at the source (`white-space: pre-wrap`), and nothing is ever parsed as HTML.
 */
import { element } from "./dom.js";
import { lowerBound } from "./text.js";

/** A block ends at the first line break after this many characters. */
const BLOCK_CHARS = 1500;
/** In a text longer than this, blocks out of sight are not laid out until they come near. */
const LONG_TEXT = 30000;
/** A line longer than this is put in place bit by bit: the part in sight at once, the rest after the frame. */
const FIRST_CHARS = 24000;

/** @typedef {{start: number, end: number, node: Text}} Piece  characters [start, end) of a segment */

export class TextView {
  /** @param {HTMLElement} host */
  constructor(host) {
    this.host = host;
    this.instance = null;
    this.map = null;
  }

  /** @param {Object} instance @param {import("./text.js").TokenMap} map */
  draw(instance, map) {
    this.#later?.();
    this.instance = instance;
    this.map = map;
    this.pieces = instance.segments.map(() => []);
    this.bodies = instance.segments.map(() => null);
    this.nodes = new WeakMap();
    this.long = instance.segments.reduce((sum, segment) => sum + segment.text.length, 0) > LONG_TEXT;
    this.rest = [];
    this.host.replaceChildren(...map.order.filter((index) => instance.segments[index].text).map((index) => this.#section(index)));
    this.host.append(this.#cursorLayer());
    this.#scheduleRest();
  }

  #later = null;

  #cursorLayer() {
    this.cursor = element("div", { class: "cursor-layer", "aria-hidden": "true" });
    return this.cursor;
  }

  #section(index) {
    const segment = this.instance.segments[index];
    const body = element("div", {
      class: "segment-text", dir: this.instance.direction || "auto", lang: this.instance.language || null, "data-segment": index,
    });
    this.bodies[index] = body;
    for (const [start, end] of blocksOf(segment.text)) body.append(this.#block(index, start, end));
    const titled = this.instance.segments.length > 1 && segment.title;
    return element(
      "section",
      { class: segment.selectable ? "segment" : "segment quiet", "data-name": segment.name },
      titled && element("h3", { class: "segment-title" }, segment.title),
      body,
    );
  }

  #block(index, start, end) {
    const block = element("div", { class: this.long ? "block far" : "block" });
    if (this.long) block.style.containIntrinsicBlockSize = `auto ${this.#guessHeight(end - start)}px`;
    const [from, to] = this.#targetWithin(index, start, end);
    this.#run(block, index, start, from);
    if (from < to) {
      const boxed = element("span", { class: "target" });
      this.#piece(boxed, index, from, to);
      block.append(boxed);
    }
    this.#run(block, index, to, end);
    return block;
  }

  /** Height that a block not yet laid out is taken to have, so that the scroll bar hardly changes. */
  #guessHeight(chars) {
    const wide = /^(zh|ja|ko)/.test(this.instance.language || "");
    return Math.max(1, Math.ceil(chars / (wide ? 38 : 74))) * 36;
  }

  /** Characters of the target inside a block; an empty range at its end if there are none. */
  #targetWithin(index, start, end) {
    const { target, first, starts } = this.map;
    if (!target || this.map.segmentOf(target[0]) !== index || !starts[index].length || target[0] < first[index]) return [end, end];
    const from = Math.max(start, this.map.charStart(target[0]));
    const to = Math.min(end, this.map.charEnd(target[1] - 1));
    return from < to ? [from, to] : [end, end];
  }

  #run(parent, index, start, end) {
    if (start >= end) return;
    if (end - start <= FIRST_CHARS * 1.5) {
      this.#piece(parent, index, start, end);
      return;
    }
    this.#piece(parent, index, start, start + FIRST_CHARS);
    this.rest.push({ index, start: start + FIRST_CHARS, end });
  }

  #piece(parent, index, start, end) {
    const node = document.createTextNode(this.instance.segments[index].text.slice(start, end));
    this.pieces[index].push({ start, end, node });
    this.nodes.set(node, { segment: index, start });
    parent.append(node);
  }

  /** Puts the rest of very long lines in place once the first frame is on the screen. */
  #scheduleRest() {
    if (!this.rest.length) return;
    const frame = requestAnimationFrame(() => requestAnimationFrame(() => this.finish()));
    this.#later = () => cancelAnimationFrame(frame);
  }

  /** Completes the text; whoever needs a place in its unfinished part calls this first. */
  finish() {
    for (const { index, start, end } of this.rest) this.#grow(index, start, end);
    this.rest = [];
    this.onfinish?.();
  }

  #grow(index, start, end) {
    const place = lowerBound(this.pieces[index].map((piece) => piece.start), start);
    const node = document.createTextNode(this.instance.segments[index].text.slice(start, end));
    const before = this.pieces[index][place - 1].node;
    this.pieces[index].splice(place, 0, { start, end, node });
    this.nodes.set(node, { segment: index, start });
    before.after(node);
  }

  /** @returns {[Text, number]} */
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

  /** A range over tokens [start, end) of one segment. */
  rangeOf(start, end) {
    const segment = this.map.segmentOf(start);
    const [startContainer, startOffset] = this.#point(segment, this.map.charStart(start), false);
    const [endContainer, endOffset] = this.#point(segment, this.map.charEnd(end - 1), true);
    return new StaticRange({ startContainer, startOffset, endContainer, endOffset });
  }

  /** Rectangles of a token on the screen: several if it is broken over lines. */
  rectsOf(token) {
    const fixed = this.rangeOf(token, token + 1);
    const range = document.createRange();
    range.setStart(fixed.startContainer, fixed.startOffset);
    range.setEnd(fixed.endContainer, fixed.endOffset);
    return [...range.getClientRects()].filter((box) => box.width > 0 || box.height > 0);
  }

  /** The box of a token's first line. */
  boxOf(token) {
    return this.rectsOf(token)[0] || null;
  }

  /**
   * What is at a point of the window, as ranks: on a token `low === high`; between two tokens `low` is the
   * later and `high` the earlier one (so a range made of two such places spans exactly what lies between).
   * @returns {{low: number, high: number, on: boolean}|null}
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

  /** A caret stands between two characters: the token is whichever of its neighbours has the point in its box. */
  #tokenUnder(segment, char, x, y) {
    for (const token of [this.map.tokenAt(segment, char), this.map.tokenAt(segment, char - 1)]) {
      if (token >= 0 && this.rectsOf(token).some((box) => within(box, x, y, this.leading))) return token;
    }
    return -1;
  }

  /** Like placeAt, for points that may lie outside the text while one drags: the nearest place in it. */
  placeNear(x, y, top, bottom) {
    const body = this.#bodyNear(Math.min(Math.max(y, top + 1), bottom - 1));
    if (!body) return null;
    const box = body.getBoundingClientRect();
    const inY = Math.min(Math.max(y, box.top + 2, top + 1), box.bottom - 2, bottom - 1);
    const inX = Math.min(Math.max(x, box.left + 1), box.right - 1);
    return this.placeAt(inX, inY);
  }

  #bodyNear(y) {
    let nearest = null;
    let least = Infinity;
    for (const index of this.map.reading) {
      const box = this.bodies[index].getBoundingClientRect();
      const away = y < box.top ? box.top - y : Math.max(0, y - box.bottom);
      if (away < least) [nearest, least] = [this.bodies[index], away];
    }
    return nearest;
  }

  /** Half the space between the boxes of two lines: pointing there still means the line. */
  get leading() {
    return 8;
  }

  /** Draws the box around the token cursor, or takes it away. */
  showCursor(token) {
    if (token === null || !this.cursor) {
      this.cursor?.replaceChildren();
      return;
    }
    const origin = this.host.getBoundingClientRect();
    const boxes = this.rectsOf(token).map((box) => element("div", {
      class: "cursor-box",
      style: `left:${box.left - origin.left - 3}px;top:${box.top - origin.top - 2}px;width:${box.width + 6}px;height:${box.height + 4}px`,
    }));
    this.cursor.replaceChildren(...boxes);
  }
}

/** Cuts a text at line breaks into blocks of at least BLOCK_CHARS. @returns {Array<[number, number]>} */
export function blocksOf(text) {
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

const within = (box, x, y, leading) =>
  x >= box.left && x <= box.right && y >= box.top - leading && y <= box.bottom + leading;

/** Text node and offset at a point, through the shadow root. */
function caretAt(x, y, root) {
  if (document.caretPositionFromPoint) {
    const shadowRoots = root instanceof ShadowRoot ? [root] : [];
    const caret = document.caretPositionFromPoint(x, y, { shadowRoots });
    return caret && { node: caret.offsetNode, offset: caret.offset };
  }
  const range = document.caretRangeFromPoint?.(x, y);
  return range ? { node: range.startContainer, offset: range.startOffset } : null;
}
