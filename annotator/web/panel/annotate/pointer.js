/**
 * Mouse, pen and touch over the text. A drag adds tokens and shows beforehand what it will add; a click toggles
 * one; Shift extends from the last; a double click takes the sentence; Alt, or the erase mode, removes.
 */
import { scrollerOf } from "../shared/dom.js";

const DRAG_PIXELS = 5;
const DOUBLE_MS = 400;
const EDGE = 44;

/** @typedef {import("../shared/text_drawing.js").Place} Place */
/**
 * A drag, or a click that may become one: what it began and ends on, and what it will do.
 * @typedef {{from: Place, to: Place, x: number, y: number, moved: boolean, shown: boolean, pointer: number,
 *   picks: boolean, erase: boolean, shift: boolean, at: PointerEvent}} Drag
 */

export class Pointer {
  /**
   * @param {HTMLElement} host  the element that holds the text
   * @param {import("./screen.js").Screen} screen
   * @param {import("./marking.js").Marking} marking
   */
  constructor(host, screen, marking) {
    this.host = host;
    this.screen = screen;
    this.marking = marking;
    /** @type {Drag|null} */
    this.drag = null;
    /** @type {{token: number, time: number, changed: boolean, picked: boolean}|null}  the click before */
    this.last = null;
    /** The frame in which the text scrolls along, 0: none. */
    this.frame = 0;
    host.addEventListener("pointerdown", (event) => this.#down(event));
    host.addEventListener("pointermove", (event) => this.#move(event));
    host.addEventListener("pointerup", (event) => this.#up(event));
    host.addEventListener("pointercancel", () => this.cancel());
    host.addEventListener("lostpointercapture", () => this.cancel());
    // The browser's own selection would lie over the marks; the focus has to come to the text all the same.
    host.addEventListener(
      "mousedown",
      (event) => event.button === 0 && !this.screen.readMode && event.preventDefault(),
    );
  }

  get view() {
    return this.screen.view;
  }

  /** @param {PointerEvent} event */
  #down(event) {
    if (event.button !== 0 || this.drag || this.screen.readMode || !this.screen.session) return;
    this.screen.focusText();
    this.screen.session.clock.touch();
    if (!this.marking.writable || (this.marking.labelsOnly && !this.marking.isPicking)) return;
    // What may only be read has no tokens: pressing there means none, not the nearest one of another segment.
    const isReadOnly = event.composedPath().some((node) => node instanceof Element && node.matches(".segment.quiet"));
    const place = isReadOnly ? null : this.view.placeAt(event.clientX, event.clientY) || this.#near(event);
    if (!place) return;
    this.host.setPointerCapture(event.pointerId);
    this.drag = {
      from: place,
      to: place,
      x: event.clientX,
      y: event.clientY,
      moved: false,
      shown: false,
      pointer: event.pointerId,
      picks: this.marking.isPicking,
      erase: !this.marking.isPicking && (event.altKey || this.screen.looks.erase),
      shift: event.shiftKey,
      at: event,
    };
  }

  /** @param {PointerEvent} event */
  #near(event) {
    const { top, bottom } = this.screen.textWindow();
    return this.view.placeNear(event.clientX, event.clientY, top, bottom);
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const { drag } = this;
    if (!drag || event.pointerId !== drag.pointer) return;
    drag.at = event;
    if (!drag.moved && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < DRAG_PIXELS) return;
    drag.moved = true;
    this.#follow();
    this.#autoScroll();
  }

  /** Takes the drag to where the pointer is now. */
  #follow() {
    const { drag } = this;
    const place = drag && this.#near(drag.at);
    if (!drag || !place) return;
    const same = drag.shown && place.low === drag.to.low && place.high === drag.to.high;
    drag.to = place;
    if (same) return;
    drag.shown = true;
    this.screen.preview(this.#spans(drag), drag.picks ? "pick" : drag.erase ? "erase" : "add");
  }

  /** @param {Drag} given */
  #spans({ from, to, picks }) {
    const low = Math.min(from.low, to.low);
    const high = Math.max(from.high, to.high);
    if (low > high) return [];
    const { session } = this.screen;
    if (!session) return [];
    const spans = session.map.spansBetween(low, high);
    if (!picks && session.project?.sets_may_cross_segments !== false) return spans;
    const home = session.map.segmentOf(
      session.map.tokenAtRank(Math.min(Math.max(0, from.low), session.map.readable - 1)),
    );
    return spans.filter(([start]) => session.map.segmentOf(start) === home);
  }

  /** @param {PointerEvent} event */
  #up(event) {
    const { drag } = this;
    if (!drag || event.pointerId !== drag.pointer) return;
    drag.at = event;
    if (drag.moved) this.#follow();
    const spans = drag.moved ? this.#spans(drag) : [];
    this.#end();
    if (drag.moved) this.#dragged(drag, spans);
    else if (drag.from.on) this.#clicked(drag, event);
  }

  /** @param {Drag} drag @param {Span[]} spans */
  #dragged(drag, spans) {
    const { session } = this.screen;
    if (!session || !spans.length) return;
    const end = drag.to.low >= drag.from.low ? drag.to.high : drag.to.low;
    session.cursor = session.map.tokenAtRank(Math.min(Math.max(0, end), session.map.readable - 1));
    this.#mark(drag, spans);
  }

  /** @param {Drag} drag @param {Span[]} spans */
  #mark(drag, spans) {
    if (drag.picks) this.marking.pick(spans);
    else if (drag.erase) this.marking.remove(spans);
    else this.marking.add(spans);
  }

  /** @param {Drag} drag @param {PointerEvent} event */
  #clicked(drag, event) {
    const { session } = this.screen;
    if (!session) return;
    const token = session.map.tokenAtRank(drag.from.low);
    const before = session.cursor;
    session.cursor = token;
    const { last } = this;
    const first = last && last.token === token && event.timeStamp - last.time < DOUBLE_MS ? last : null;
    // The answer was taken with the first click of the two; the second one is no mark.
    if (first?.picked) return;
    if (drag.shift && before !== null)
      return this.#mark(drag, session.map.spansBetween(session.map.rankOf(before), drag.from.low));
    if (first) {
      if (first.changed) this.marking.forgetLast();
      this.last = null;
      return this.marking.sentence(token, drag.erase);
    }
    const version = session.version;
    const spans = session.map.spansBetween(drag.from.low, drag.from.low);
    if (drag.erase || drag.picks) this.#mark(drag, spans);
    else this.marking.toggle(spans);
    this.last = { token, time: event.timeStamp, changed: session.version > version, picked: drag.picks };
  }

  /** The next click is the first of a new pair, whatever came before. */
  forgetClick() {
    this.last = null;
  }

  #end() {
    if (!this.drag) return;
    const { pointer } = this.drag;
    this.drag = null;
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.screen.preview([], null);
    if (this.host.hasPointerCapture(pointer)) this.host.releasePointerCapture(pointer);
  }

  /** Ends a drag without effect. @returns {boolean} whether there was one */
  cancel() {
    const had = this.drag !== null;
    this.#end();
    return had;
  }

  /** Near the upper and lower edge the text scrolls along, the faster the nearer. */
  #autoScroll() {
    if (this.frame) return;
    const step = () => {
      this.frame = 0;
      if (!this.drag) return;
      const { top, bottom } = this.screen.textWindow();
      const y = this.drag.at.clientY;
      const over = y < top + EDGE ? y - top - EDGE : Math.max(0, y - bottom + EDGE);
      if (!over) return;
      scrollerOf(this.host).scrollTop += Math.sign(over) * Math.min(28, Math.ceil(Math.abs(over) / 3));
      this.#follow();
      this.frame = requestAnimationFrame(step);
    };
    this.frame = requestAnimationFrame(step);
  }
}
