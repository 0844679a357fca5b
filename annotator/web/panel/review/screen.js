/**
 * The review's elements and what they show. It knows which review is on the screen and how its text is looked at;
 * it changes nothing in it.
 */
import { element, focused, scrollerOf, viewportOf } from "../shared/dom.js";
import { Head } from "../shared/head.js";
import { letterOf } from "../shared/model.js";
import { nameOf } from "../shared/naming.js";
import { ReviewBar } from "./bar.js";
import { pictureOf } from "./looks.js";
import { ReviewNotices } from "./notices.js";
import { nameOf as scoreName, placeOf } from "./scores.js";
import { Sheet } from "./sheet.js";
import { carriedWords, questionOf, stopWords } from "./words.js";
import { Stage } from "../shared/stage.js";
import { TabTitle } from "../shared/tab_title.js";

const SPOKEN_CHARS = 300;
/** So many parts of a set are looked at to find out whether one of them is in sight. */
const PARTS = 40;
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
    this.tab = new TabTitle();
    this.head = new Head(actions, {
      page: "Review",
      mine: "My reviews",
      mineTitle: "My reviews: what you have scored or skipped, and what came of it",
    });
    this.bar = new ReviewBar(actions);
    this.notices = new ReviewNotices(actions);
    this.sheet = new Sheet(actions);
    const main = element(
      "div",
      { class: "main" },
      element("h2", { class: "heard" }, "Text"),
      this.notices.root,
      this.text,
      this.empty,
    );
    const body = element("div", { class: "body" }, main, this.sheet.root);
    const root = element(
      "div",
      { class: "panel review", tabIndex: -1 },
      this.head.root,
      this.bar.root,
      body,
      this.notices.dock,
      this.live,
    );
    this.raise(root, this.bar.root, body, this.notices.urgent);
    this.fit = () => this.#fitSheet();
    document.addEventListener("scroll", this.fit, { passive: true, capture: true });
  }

  /** The sheet ends with the window, whether the head above it is in sight or not. */
  #fitSheet() {
    const { top } = this.sheet.root.parentElement.getBoundingClientRect();
    const room = this.lengths["--asked-room"] ?? 0;
    const from = Math.max(top + GAP, this.barRoot.getBoundingClientRect().bottom + room + GAP);
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
    this.showQuestion();
    this.scrollTo(null);
    this.tab.name(nameOf(session.work.instance));
    if (focused() === document.body || this.root.contains(focused())) this.focusText();
    const { work } = session;
    this.moved(
      `Review of ${nameOf(work.instance)}, round ${work.round}, ${work.sets.length} ${work.sets.length === 1 ? "set" : "sets"}.`,
    );
    this.onshow?.(session);
  }

  /** What is asked now stands in the bar; only a question or claim of the text is repeated. */
  get repeatsRule() {
    return false;
  }

  showEmpty(sentence) {
    super.showEmpty(sentence);
    this.head.showNothing();
    this.notices.show(null);
    this.tab.name("");
  }

  /** Shows the session's state: marks, bar, sheet. */
  refresh() {
    const { session, dark } = this;
    if (!session) return;
    this.#paint();
    this.bar.update(session, { dark, busy: this.busy });
    this.sheet.update(session, { dark, busy: this.busy });
    this.head.update(session);
    this.asked.update(this.head.words);
    this.notices.update(session, { dark });
  }

  #paint() {
    const picture = pictureOf(this.session, this.hovered);
    this.marks.paint(picture.sets, picture.lookAt, this.dark);
    for (const [kind, spans] of Object.entries(picture.overlays)) this.marks.overlay(kind, spans);
    this.markMap.update(this.session.work.sets, this.dark);
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
    this.places.bring(session.stops[session.stop][0]);
    this.announce(stopWords(session, SPOKEN_CHARS));
  }

  #spokenStop() {
    return this.session.stop === null ? "" : `, ${stopWords(this.session, SPOKEN_CHARS)}`;
  }

  /** Brings what the step is about into sight, unless some of it is there: the text does not jump for nothing. */
  #reveal() {
    const { stops, stop, step, view } = this.session;
    if (stop !== null) return this.places.bring(stops[stop][0]);
    if (!stops.length || (step.set === null && view !== "changes") || view === "without") return;
    if (!stops.slice(0, PARTS).some(([start]) => this.places.isInSight(start))) this.places.bring(stops[0][0]);
  }

  describeStep() {
    const { session } = this;
    const { step, at, steps, map, work } = session;
    const words = step.set === null ? "" : ` ${map.brief(work.sets[step.set].spans, SPOKEN_CHARS)}.`;
    const question = questionOf(session).join("");
    return `Step ${at + 1} of ${steps.length}: ${scoreName(step.property)} of ${placeOf(step.set)}. ${question}${words}${this.#spokenStop()}`;
  }

  /** A set that has passed, in words. */
  describeSet(index) {
    return `Set ${letterOf(index)} ${carriedWords(this.session.work.sets[index])}`;
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
    this.tab.destroy();
    document.removeEventListener("scroll", this.fit, { capture: true });
    super.destroy();
  }
}
