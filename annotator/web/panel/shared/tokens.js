/**
 * Offset arithmetic over the tokens of one instance. Pure: no DOM.
 *
 * Three numberings meet here. *Token index*: the segments' tokens counted through in the order in which the
 * server lists the segments; the only one that is ever sent. *Character*: UTF-16 offset within a segment.
 * *Rank*: position of a selectable token in the order in which a person reads the screen (a title is drawn
 * above its passage, though its tokens are numbered after it); arrows and drags walk along ranks.
 */

/** @typedef {[number, number]} Span  half open [start, end) of token indices, within one segment */

/**
 * Index of the first value that is at least `wanted`; `values` ascends.
 * @param {ArrayLike<number>} values
 * @param {number} wanted
 */
export function lowerBound(values, wanted) {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Places of a segment on the screen: what is asked first, then titles, then the texts, then the choices.
 * @param {Segment} segment
 */
function place(segment) {
  if (segment.name === "choices") return 3;
  if (!segment.selectable) return 0;
  return segment.name === "title" ? 1 : 2;
}

/** So much of a text is looked at to find out which way it runs. */
const LOOKED_AT = 1000;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/g;
/** The language of a text decides, unless so many times more of its letters run the other way. */
const CLEARLY = 3;

/**
 * Which way a text runs: as its language does, but a text that is plainly written the other way (a question in another
 * language, a text whose language was never told) runs as it is written.
 * @param {"ltr"|"rtl"|undefined} given  of its language
 * @param {string} text
 */
export function directionOf(text, given) {
  const letters = text.slice(0, LOOKED_AT).match(/\p{L}/gu)?.length ?? 0;
  const rtl = text.slice(0, LOOKED_AT).match(RIGHT_TO_LEFT)?.length ?? 0;
  if (given === "rtl") return letters - rtl > CLEARLY * rtl ? "ltr" : "rtl";
  return rtl > CLEARLY * (letters - rtl) ? "rtl" : "ltr";
}

export class TokenMap {
  /** @param {Pick<Instance, "segments"|"target"|"direction">} instance */
  constructor(instance) {
    this.segments = instance.segments;
    this.directions = this.segments.map(({ text }) => directionOf(text, instance.direction));
    this.target = instance.target || null;
    this.starts = this.segments.map((segment) => Uint32Array.from(segment.starts));
    this.ends = this.segments.map((segment) => Uint32Array.from(segment.ends));
    const places = this.segments.map(place);
    /** Indices of the segments in the order in which they are drawn. */
    this.order = [...places.keys()].sort((a, b) => places[a] - places[b] || a - b);
    /** @type {number[]}  the first token of each segment */
    this.first = [];
    this.count = 0;
    /** @type {number[]}  the segments that can be marked, as they are read, and the first rank of each */
    this.reading = [];
    /** @type {number[]} */
    this.rankFirst = [];
    this.readable = 0;
    this.selectableCount = 0;
    for (const starts of this.starts) {
      this.first.push(this.count);
      this.count += starts.length;
    }
    this.#rank();
  }

  #rank() {
    this.reading = this.order.filter((index) => this.segments[index].selectable && this.starts[index].length);
    for (const index of this.reading) {
      this.rankFirst.push(this.readable);
      this.readable += this.starts[index].length;
    }
    const boxed = this.target && this.isSelectable(this.target[0]) ? this.target[1] - this.target[0] : 0;
    this.selectableCount = this.readable - boxed;
  }

  /** @param {number} token */
  segmentOf(token) {
    let low = 0;
    for (let index = 0; index < this.first.length; index += 1) {
      if (this.first[index] <= token && this.starts[index].length) low = index;
    }
    return low;
  }

  /** @param {number} token */
  isSelectable(token) {
    return this.segments[this.segmentOf(token)].selectable;
  }

  /** @param {number} token */
  charStart(token) {
    const segment = this.segmentOf(token);
    return this.starts[segment][token - this.first[segment]];
  }

  /** @param {number} token */
  charEnd(token) {
    const segment = this.segmentOf(token);
    return this.ends[segment][token - this.first[segment]];
  }

  /**
   * Whether a segment asks something of the text (a question, a claim).
   * @param {number} index
   */
  asks(index) {
    return place(this.segments[index]) === 0 && this.segments[index].text !== "";
  }

  /** Which way the text runs on the whole: as the first segment does that can be marked. */
  get direction() {
    return this.directions[this.reading[0] ?? 0] ?? "ltr";
  }

  /** @param {number} token */
  directionAt(token) {
    return this.directions[this.segmentOf(token)];
  }

  /**
   * Token index at a character of a segment, or -1 between tokens.
   * @param {number} segment
   * @param {number} char
   */
  tokenAt(segment, char) {
    const local = lowerBound(this.starts[segment], char + 1) - 1;
    return local >= 0 && char < this.ends[segment][local] ? this.first[segment] + local : -1;
  }

  /**
   * Index of the first token of a segment that starts at or after a character (may be one past the last).
   * @param {number} segment
   * @param {number} char
   */
  tokenAfter(segment, char) {
    return this.first[segment] + lowerBound(this.starts[segment], char);
  }

  /**
   * Index of the token of a segment that starts at or after a character, else of its last one.
   * @param {number} segment
   * @param {number} char
   */
  tokenNear(segment, char) {
    return Math.min(this.tokenAfter(segment, char), this.first[segment] + this.starts[segment].length - 1);
  }

  /**
   * The tokens that lie exactly at some characters of a segment, or null: words begin and end where tokens do.
   * @param {number} segment
   * @param {number} start
   * @param {number} end
   * @returns {Span|null}
   */
  spanAt(segment, start, end) {
    const first = lowerBound(this.starts[segment], start);
    const last = lowerBound(this.ends[segment], end);
    const fits = this.starts[segment][first] === start && this.ends[segment][last] === end;
    return fits ? [this.first[segment] + first, this.first[segment] + last + 1] : null;
  }

  /** @param {number} token */
  rankOf(token) {
    const segment = this.segmentOf(token);
    const place = this.reading.indexOf(segment);
    return place < 0 ? -1 : this.rankFirst[place] + token - this.first[segment];
  }

  /** @param {number} rank */
  tokenAtRank(rank) {
    let place = 0;
    while (place + 1 < this.reading.length && this.rankFirst[place + 1] <= rank) place += 1;
    return this.first[this.reading[place]] + rank - this.rankFirst[place];
  }

  /**
   * Reading rank that a gap before `token` of a segment stands at.
   * @param {number} segment
   * @param {number} token
   */
  gapRank(segment, token) {
    const place = this.reading.indexOf(segment);
    return place < 0 ? 0 : this.rankFirst[place] + token - this.first[segment];
  }

  /**
   * Spans of the selectable tokens between two ranks (both included), cut at segments and at the target.
   * @param {number} a
   * @param {number} b
   * @returns {Span[]}
   */
  spansBetween(a, b) {
    const low = Math.max(0, Math.min(a, b));
    const high = Math.min(this.readable - 1, Math.max(a, b));
    /** @type {Span[]} */
    const spans = [];
    this.reading.forEach((segment, place) => {
      const from = Math.max(low, this.rankFirst[place]);
      const to = Math.min(high, this.rankFirst[place] + this.starts[segment].length - 1);
      if (from > to) return;
      const shift = this.first[segment] - this.rankFirst[place];
      spans.push(...this.#withoutTarget([from + shift, to + shift + 1]));
    });
    return spans.sort((x, y) => x[0] - y[0]);
  }

  /** @param {Span} span @returns {Span[]} */
  #withoutTarget([start, end]) {
    if (!this.target || this.target[1] <= start || end <= this.target[0]) return [[start, end]];
    /** @type {Span[]} */
    const around = [
      [start, this.target[0]],
      [this.target[1], end],
    ];
    return around.filter(([from, to]) => from < to);
  }

  /** @param {number} token */
  isTarget(token) {
    return this.target !== null && this.target[0] <= token && token < this.target[1];
  }

  /**
   * The sentence of a token, as a span.
   * @param {number} token
   * @returns {Span}
   */
  sentenceOf(token) {
    const segment = this.segmentOf(token);
    const local = token - this.first[segment];
    const sentences = this.segments[segment].sentences || [];
    const after = lowerBound(sentences, local + 1);
    const start = after > 0 ? sentences[after - 1] : 0;
    const end = after < sentences.length ? sentences[after] : this.starts[segment].length;
    return [this.first[segment] + start, this.first[segment] + end];
  }

  /**
   * First and last rank of each selectable segment that a span touches; for keeping a set in one segment.
   * @param {Span[]} spans
   */
  segmentsOf(spans) {
    return [...new Set(spans.map(([start]) => this.segmentOf(start)))];
  }

  /** @param {Span} given */
  textOf([start, end]) {
    const segment = this.segmentOf(start);
    const from = this.starts[segment][start - this.first[segment]];
    const to = this.ends[segment][end - 1 - this.first[segment]];
    return this.segments[segment].text.slice(from, to);
  }

  /**
   * The words of some spans in brief: at most about `limit` characters.
   * @param {Span[]} spans
   * @param {number} limit
   */
  brief(spans, limit) {
    let words = "";
    for (const span of spans) {
      const segment = this.segmentOf(span[0]);
      const from = this.starts[segment][span[0] - this.first[segment]];
      const to = Math.min(this.ends[segment][span[1] - 1 - this.first[segment]], from + limit + 1);
      words += (words ? " … " : "") + this.segments[segment].text.slice(from, to).replace(/\s+/g, " ");
      if (words.length > limit) return `${Array.from(words).slice(0, limit).join("")}…`;
    }
    return words;
  }
}
