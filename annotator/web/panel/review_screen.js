/**
 * The review's elements and what they show. It knows which review is on the screen and how its text is looked at;
 * it changes nothing in it.
 */
import { element, focused, scrollerOf, viewportOf } from "./dom.js";
import { Head } from "./head.js";
import { letterOf } from "./model.js";
import { ReviewBar } from "./review_bar.js";
import { pictureOf } from "./review_looks.js";
import { ReviewNotices } from "./review_notices.js";
import { nameOf, placeOf } from "./review_scores.js";
import { Sheet } from "./review_sheet.js";
import { carriedWords, questionOf, stopWords } from "./review_words.js";
import { Stage } from "./stage.js";

const SPOKEN_CHARS = 300;
/** So many parts of a set are looked at to find out whether one of them is in sight. */
const PARTS = 40;
/** In a long text places move while it is laid out, so one looks again in so many frames. */
const FRAMES = 10;
/** Pixels between the bar, the sheet and the end of the window. */
const GAP = 14;

export class ReviewScreen extends Stage {
  constructor(parent) {
    super(parent);
    this.hovered = null;
  }

  /** Builds the elements; `actions` are what their buttons do. */
  build(actions) {
    this.makeParts({ role: "document", "aria-label": "Text", onclick: (event) => this.#clicked(event, actions) });
    this.head = new Head(actions, { mine: "My reviews", mineTitle: "My submitted reviews" });
    this.bar = new ReviewBar(actions);
    this.notices = new ReviewNotices(actions);
    this.sheet = new Sheet(actions);
    const main = element("div", { class: "main" }, this.notices.root, this.text, this.empty);
    const body = element("div", { class: "body" }, main, this.sheet.root);
    this.raise(element("div", { class: "panel review", tabIndex: -1 }, this.head.root, this.bar.root, body, this.live), this.bar.root);
    this.sizes.observe(this.bar.root);
    this.fit = () => this.#fitSheet();
    document.addEventListener("scroll", this.fit, { passive: true, capture: true });
  }

  /** The sheet ends with the window, whether the head above it is in sight or not. */
  #fitSheet() {
    const { top } = this.sheet.root.parentElement.getBoundingClientRect();
    const from = Math.max(top + GAP, this.barRoot.getBoundingClientRect().bottom + GAP);
    const height = Math.max(160, Math.round(viewportOf(scrollerOf(this.root)).bottom - from - GAP));
    if (height === this.sheetHeight) return;
    this.sheetHeight = height;
    this.root.style.setProperty("--sheet-height", `${height}px`);
    if (this.session) this.sheet.bringIntoView();
  }

  #clicked(event, actions) {
    const place = this.session && this.view.placeAt(event.clientX, event.clientY);
    if (place?.on) actions.point(this.session.map.tokenAtRank(place.low));
  }

  resized() {
    super.resized();
    this.root.style.setProperty("--bar-height", `${this.bar.root.offsetHeight}px`);
    this.root.style.setProperty("--row-height", `${this.bar.main.offsetHeight}px`);
    this.#fitSheet();
  }

  /** Draws another review. */
  show(session) {
    this.hovered = null;
    this.draw(session);
    this.head.guidelines.hidden = session.project?.has_guidelines === false;
    this.head.show(session);
    this.sheet.show(session);
    this.notices.show(session);
    this.refresh();
    this.scrollTo(null);
    if (focused() === document.body || this.root.contains(focused())) this.focusText();
    const { work } = session;
    this.moved(`Review of ${work.instance.key}, round ${work.round}, ${work.sets.length} ${work.sets.length === 1 ? "set" : "sets"}.`);
    this.onshow?.(session);
  }

  showEmpty(sentence) {
    super.showEmpty(sentence);
    this.notices.show(null);
  }

  /** Shows the session's state: marks, bar, sheet. */
  refresh() {
    const { session, dark } = this;
    if (!session) return;
    this.#paint();
    this.bar.update(session, { dark, busy: this.busy });
    this.sheet.update(session, { dark, busy: this.busy });
    this.head.update(session);
    this.notices.update(session, { dark });
  }

  #paint() {
    const picture = pictureOf(this.session, this.hovered);
    this.marks.paint(picture.sets, picture.lookAt, this.dark);
    for (const [kind, spans] of Object.entries(picture.overlays)) this.marks.overlay(kind, spans);
    this.text.classList.toggle("faded", picture.faded);
  }

  /** A set under the pointer stands out from the others. */
  hover(index) {
    if (this.hovered === index) return;
    this.hovered = index;
    if (this.session) this.#paint();
  }

  /** Another step: its view, its place in the text, its words. */
  moved(said = "") {
    this.closeHint();
    this.refresh();
    this.sheet.bringIntoView();
    this.#reveal();
    this.announce(`${said} ${this.describeStep()}`.trim());
  }

  /** Another view of the same step. */
  looked() {
    this.refresh();
    this.#reveal();
    this.announce(this.bar.views.nameOf(this.session.view) + this.#spokenStop());
  }

  /** Another stop within the view. */
  showStop() {
    const { session } = this;
    this.#bring(session.stops[session.stop][0]);
    this.announce(stopWords(session, SPOKEN_CHARS));
  }

  #spokenStop() {
    return this.session.stop === null ? "" : `, ${stopWords(this.session, SPOKEN_CHARS)}`;
  }

  /** Brings what the step is about into sight, unless some of it is there: the text does not jump for nothing. */
  #reveal() {
    const { stops, stop, step, view } = this.session;
    if (stop !== null) return this.#bring(stops[stop][0]);
    if (!stops.length || (step.set === null && view !== "changes") || view === "without") return;
    if (!stops.slice(0, PARTS).some(([start]) => this.#isInSight(start))) this.#bring(stops[0][0]);
  }

  /** Brings a token into sight: where it is out of it, to the upper part of the window, so that one sees what follows. */
  #bring(token, frames = FRAMES) {
    cancelAnimationFrame(this.bringing);
    const box = this.view.boxOf(token);
    if (!box || (frames === FRAMES && this.#isInSight(token))) return;
    const { top, bottom } = this.textWindow();
    scrollerOf(this.root).scrollTop += box.top - top - (bottom - top) * 0.3;
    if (frames) this.bringing = requestAnimationFrame(() => this.session && this.#bring(token, frames - 1));
  }

  #isInSight(token) {
    const box = this.view.boxOf(token);
    const { top, bottom } = this.textWindow();
    return Boolean(box) && box.top >= top && box.bottom <= bottom;
  }

  describeStep() {
    const { session } = this;
    const { step, at, steps, map, work } = session;
    const words = step.set === null ? "" : ` ${map.brief(work.sets[step.set].spans, SPOKEN_CHARS)}.`;
    const question = questionOf(session).join("");
    return `Step ${at + 1} of ${steps.length}: ${nameOf(step.property)} of ${placeOf(step.set)}. ${question}${words}${this.#spokenStop()}`;
  }

  /** A set that has passed, in words. */
  describeSet(index) {
    return `Set ${letterOf(index)} ${carriedWords(this.session.work.sets[index])}`;
  }

  /** A sentence of a box above the text: where that box is out of sight it is shown over the text too. */
  remind(sentence) {
    const { bottom } = this.notices.root.getBoundingClientRect();
    if (bottom > this.textWindow().top) this.announce(sentence);
    else this.hint(sentence, { stay: true });
  }

  focusSubmit() {
    this.bar.submit.focus({ preventScroll: true });
  }

  /** To the comment of the step; the page comes back to where it was when one leaves it. */
  focusComment() {
    const before = this.scroll;
    this.sheet.focusComment(this.session.step.set);
    this.scrollBack = this.scroll === before ? null : before;
  }

  leaveComment() {
    this.focusText();
    if (this.scrollBack !== null && this.scrollBack !== undefined) this.scrollTo(this.scrollBack);
    this.scrollBack = null;
  }

  destroy() {
    cancelAnimationFrame(this.bringing);
    document.removeEventListener("scroll", this.fit, { capture: true });
    super.destroy();
  }
}
