/**
 * The map beside the scroll bar: where the sets' marks lie in a long text, each set in its colour and its own column,
 * and which part of the text is in sight. One canvas, drawn when the browser has nothing else to do, so that a mark
 * waits for nothing.
 */
import { _ } from "../words/language.js";
import { element } from "./dom.js";
import { lookOf } from "./palette.js";

const WIDTH = 12;
const LEAST_PIXELS = 2;
const MOST_COLUMNS = 4;
/** A click this near to a mark means the mark. */
const NEAR_PIXELS = 6;
/** A text that is less longer than the window than this needs no map; nor does one without marks. */
const LONGER = 1.25;
const AT_THE_LATEST_MS = 400;
const FORCED = matchMedia("(forced-colors: active)");

/**
 * Safari has no idle time; then a moment later does.
 * @param {() => void} callback
 * @returns {() => void}  what takes it back
 */
function whenIdle(callback) {
  if (!window.requestIdleCallback) {
    const timer = setTimeout(callback, 50);
    return () => clearTimeout(timer);
  }
  const handle = window.requestIdleCallback(callback, { timeout: AT_THE_LATEST_MS });
  return () => window.cancelIdleCallback(handle);
}

/** @typedef {import("./stage.js").Stage<WorkSession>} Stage */

export class MarkMap {
  /** @param {Stage} stage */
  constructor(stage) {
    this.stage = stage;
    this.canvas = element("canvas", { class: "map-marks" });
    this.window = element("div", { class: "map-window" });
    this.box = element(
      "div",
      {
        class: "map",
        title: _("Where the sets' marks lie; a click goes there"),
        onclick: (event) => this.#clicked(event),
      },
      this.canvas,
      this.window,
    );
    this.root = element("div", { class: "map-track", hidden: true, "aria-hidden": "true" }, this.box);
    /** @type {Array<{spans: Span[]}>} */
    this.sets = [];
    this.dark = false;
    this.height = 0;
    /** @type {Array<{token: number, from: number, to: number}>}  where the marks lie in the map */
    this.places = [];
    /** @type {(() => void)|null}  takes back what is drawn when there is time */
    this.waiting = null;
  }

  /** Another text: its marks are not known yet. */
  reset() {
    this.sets = [];
    this.#later();
  }

  /** @param {Array<{spans: import("./text.js").Span[]}>} sets @param {boolean} dark */
  update(sets, dark) {
    if (this.sets === sets && this.dark === dark) return;
    this.sets = sets;
    this.dark = dark;
    this.#later();
  }

  /** The text or the window has another size. */
  resized() {
    this.#later();
  }

  #later() {
    if (this.waiting) return;
    this.waiting = whenIdle(() => {
      this.waiting = null;
      this.#draw();
    });
  }

  #draw() {
    const { stage } = this;
    if (!stage.session || !stage.text.isConnected || !this.sets.some(({ spans }) => spans.length)) return this.#hide();
    const text = stage.text.getBoundingClientRect();
    if (text.height < stage.textRoom * LONGER) return this.#hide();
    this.root.hidden = false;
    this.height = this.box.clientHeight;
    this.#paint(text);
    this.scrolled();
  }

  #hide() {
    this.root.hidden = true;
  }

  /** @param {DOMRect} text */
  #paint(text) {
    const scale = window.devicePixelRatio || 1;
    Object.assign(this.canvas, { width: WIDTH * scale, height: Math.max(1, Math.round(this.height * scale)) });
    const brush = this.canvas.getContext("2d");
    if (!brush) return;
    brush.scale(scale, scale);
    const columns = Math.min(MOST_COLUMNS, Math.max(1, this.sets.length));
    const width = WIDTH / columns;
    const placeOf = this.stage.view.measure(text);
    this.places = [];
    this.sets.forEach(({ spans }, set) => {
      brush.fillStyle = FORCED.matches
        ? getComputedStyle(this.box).color
        : lookOf(set, this.dark, this.sets.length).color;
      for (const [start, end] of spans) {
        const from = Math.min(this.height - LEAST_PIXELS, Math.round(placeOf(start) * this.height));
        const size = Math.max(LEAST_PIXELS, Math.round(placeOf(end - 1) * this.height) - from);
        brush.fillRect((set % columns) * width, from, Math.max(2, width - 1), size);
        this.places.push({ token: start, from, to: from + size });
      }
    });
  }

  /** Shows which part of the text is in sight. */
  scrolled() {
    if (this.root.hidden) return;
    const { top, bottom } = this.stage.textWindow();
    const text = this.stage.text.getBoundingClientRect();
    /** @param {number} y */
    const part = (y) => Math.min(1, Math.max(0, (y - text.top) / text.height)) * this.height;
    this.window.style.transform = `translateY(${part(top)}px)`;
    this.window.style.height = `${Math.max(4, part(bottom) - part(top))}px`;
  }

  /** @param {MouseEvent} event */
  #clicked(event) {
    const y = event.clientY - this.box.getBoundingClientRect().top;
    /** @param {{from: number, to: number}} place */
    const away = ({ from, to }) => Math.max(0, from - y, y - to);
    const [nearest] = [...this.places].sort((a, b) => away(a) - away(b));
    const token =
      nearest && away(nearest) <= NEAR_PIXELS ? nearest.token : this.stage.view.tokenAtPart(y / this.height);
    if (token !== null) this.stage.places.go(token);
  }

  destroy() {
    this.waiting?.();
  }
}
