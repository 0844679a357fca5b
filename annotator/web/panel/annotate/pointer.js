/**
 * Mouse, pen and touch over the text. A drag adds tokens and shows beforehand what it will add; a click toggles
 * one; Shift extends from the last; a double click takes the sentence; Alt, or the erase mode, removes.
 */
import { scrollerOf } from "../shared/dom.js";

const DRAG_PIXELS = 5;
const DOUBLE_MS = 400;
const EDGE = 44;

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
    this.drag = null;
    this.last = null;
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
      pointer: event.pointerId,
      picks: this.marking.isPicking,
      erase: !this.marking.isPicking && (event.altKey || this.screen.looks.erase),
      shift: event.shiftKey,
      at: event,
    };
  }

  #near(event) {
    const { top, bottom } = this.screen.textWindow();
    return this.view.placeNear(event.clientX, event.clientY, top, bottom);
  }

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
    const place = this.#near(drag.at);
    if (!place) return;
    const same = drag.shown && place.low === drag.to.low && place.high === drag.to.high;
    drag.to = place;
    if (same) return;
    drag.shown = true;
    this.screen.preview(this.#spans(), drag.picks ? "pick" : drag.erase ? "erase" : "add");
  }

  #spans() {
    const { from, to } = this.drag;
    const low = Math.min(from.low, to.low);
    const high = Math.max(from.high, to.high);
    if (low > high) return [];
    const { session } = this.screen;
    const spans = session.map.spansBetween(low, high);
    if (!this.drag.picks && session.project?.sets_may_cross_segments !== false) return spans;
    const home = session.map.segmentOf(
      session.map.tokenAtRank(Math.min(Math.max(0, from.low), session.map.readable - 1)),
    );
    return spans.filter(([start]) => session.map.segmentOf(start) === home);
  }

  #up(event) {
    const { drag } = this;
    if (!drag || event.pointerId !== drag.pointer) return;
    drag.at = event;
    if (drag.moved) this.#follow();
    const spans = drag.moved ? this.#spans() : [];
    this.#end();
    if (drag.moved) this.#dragged(drag, spans);
    else if (drag.from.on) this.#clicked(drag, event);
  }

  #dragged(drag, spans) {
    const { session } = this.screen;
    if (!spans.length) return;
    const end = drag.to.low >= drag.from.low ? drag.to.high : drag.to.low;
    session.cursor = session.map.tokenAtRank(Math.min(Math.max(0, end), session.map.readable - 1));
    this.#mark(drag, spans);
  }

  #mark(drag, spans) {
    if (drag.picks) this.marking.pick(spans);
    else if (drag.erase) this.marking.remove(spans);
    else this.marking.add(spans);
  }

  #clicked(drag, event) {
    const { session } = this.screen;
    const token = session.map.tokenAtRank(drag.from.low);
    const before = session.cursor;
    session.cursor = token;
    const again = this.last && this.last.token === token && event.timeStamp - this.last.time < DOUBLE_MS;
    // The answer was taken with the first click of the two; the second one is no mark.
    if (again && this.last.picked) return;
    if (drag.shift && before !== null) return this.#extended(before, drag);
    if (again) return this.#doubled(token, drag);
    const version = session.version;
    const spans = session.map.spansBetween(drag.from.low, drag.from.low);
    if (drag.erase || drag.picks) this.#mark(drag, spans);
    else this.marking.toggle(spans);
    this.last = { token, time: event.timeStamp, changed: session.version > version, picked: drag.picks };
  }

  #extended(before, drag) {
    this.#mark(drag, this.screen.session.map.spansBetween(this.screen.session.map.rankOf(before), drag.from.low));
  }

  #doubled(token, drag) {
    if (this.last.changed) this.marking.forgetLast();
    this.last = null;
    this.marking.sentence(token, drag.erase);
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
