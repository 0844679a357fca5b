/**
 * The review's elements and what they show. It knows which review is on the screen and how its text is looked at;
 * it changes nothing in it.
 */
import { button, div, element, focused, paragraph, scrollerOf, viewportOf } from "../shared/dom.js";
import { Head } from "../shared/head.js";
import { nameOf } from "../shared/naming.js";
import { Notices } from "../shared/dialogs.js";
import { TextScreen } from "../shared/text_screen.js";
import { _, several, together } from "../words/language.js";
import { ReviewBar } from "./bar.js";
import { decisionWords, nameOf as scoreName, placeOf, questionOf, stopWords } from "./scores.js";
import { pictureOf } from "./session.js";
import { Sheet } from "./sheet.js";

// ---- Boxes above the text: what the gate decided, that it was submitted

/** @extends {Notices<ReviewSession>} */
class ReviewNotices extends Notices {
  /** @param {ReviewActions} actions */
  constructor(actions) {
    super(actions);
    this.ways = actions;
  }

  /** @param {ReviewSession} session */
  keyOf(session) {
    return [...super.keyOf(session), session.unsaved];
  }

  /** @param {ReviewSession} session */
  boxes(session) {
    return [this.#submitted(session), this.#decision(session)];
  }

  /** @param {ReviewSession} given */
  #submitted({ submitted, unsaved }) {
    if (!submitted) return null;
    if (unsaved === "unsent") {
      return this.box(
        "info",
        "warning",
        _("You changed a submitted review. Submit it again or undo."),
        button(_("Undo the change"), { onclick: this.ways.takeBack }),
      );
    }
    return this.box(
      "info",
      "check",
      _("Submitted. You can change scores until the round is decided."),
      button(_("Back to work"), { onclick: this.actions.goOn }),
    );
  }

  /** @param {ReviewSession} given */
  #decision({ work }) {
    if (work.state !== "decided" || !work.decision) return null;
    const { title, why } = decisionWords(work.decision, work.round);
    const words = element("div", {}, paragraph("notice-title", title), why && element("p", {}, why));
    const kind = work.decision.outcome === "accepted" ? "accepted" : "returned";
    return this.box(
      kind,
      kind === "accepted" ? "check" : "returned",
      words,
      button(_("Back to work"), { onclick: this.actions.goOn }),
    );
  }
}

const SPOKEN_CHARS = 300;
/** So many parts of a set are looked at to find out whether one of them is in sight. */
const PARTS = 40;
/** Pixels between the bar, the sheet and the end of the window. */
const GAP = 14;

const HEAD_WORDS = { page: _("Review"), mine: _("My reviews"), mineTitle: _("My reviews and their outcome") };

/** @extends {TextScreen<ReviewSession>} */
export class ReviewScreen extends TextScreen {
  /** @param {HTMLElement|ShadowRoot} parent @param {ReviewActions} actions */
  constructor(parent, actions) {
    const bar = new ReviewBar(actions);
    const notices = new ReviewNotices(actions);
    const parts = { head: new Head(actions, HEAD_WORDS), bar: bar.root, notices };
    super(parent, "panel review", parts, { role: "document", "aria-label": _("Text") });
    this.actions = actions;
    this.bar = bar;
    /** @type {number|null}  the set under the pointer */
    this.hovered = null;
    this.sheetHeight = 0;
    /** @type {number|null}  where the page was when one went to a comment */
    this.scrollBack = null;
    this.text.addEventListener("click", ({ clientX, clientY }) => {
      const place = this.session && this.view.placeAt(clientX, clientY);
      if (this.session && place?.on) this.actions.point(this.session.map.tokenAtRank(place.low));
    });
    this.sheet = new Sheet(actions);
    this.fit = () => this.#fitSheet();
    const main = div("main", element("h2", { class: "heard" }, _("Text")), notices.root, this.text, this.empty);
    const body = div("body", main, this.sheet.root);
    this.raise(body, [this.head.root, bar.root, body, notices.dock, this.live]);
    document.addEventListener("scroll", this.fit, { passive: true, capture: true });
  }

  /** The sheet ends with the window, whether the head above it is in sight or not. */
  #fitSheet() {
    const { top } = this.sheet.root.parentElement?.getBoundingClientRect() ?? this.root.getBoundingClientRect();
    const room = this.lengths["--asked-room"] ?? 0;
    const from = Math.max(top + GAP, this.barRoot.getBoundingClientRect().bottom + room + GAP);
    const height = Math.max(160, Math.round(viewportOf(scrollerOf(this.root)).bottom - from - GAP));
    if (height === this.sheetHeight) return;
    this.sheetHeight = height;
    this.root.style.setProperty("--sheet-height", `${height}px`);
    if (this.session) this.sheet.bringIntoView();
  }

  resized() {
    super.resized();
    this.root.style.setProperty("--row-height", `${this.bar.main.offsetHeight}px`);
    this.#fitSheet();
  }

  /** @param {ReviewSession} session */
  show(session) {
    this.hovered = null;
    this.head.guidelines.hidden = session.project?.has_guidelines === false;
    this.present(session, this.sheet, null);
    if (focused() === document.body || this.root.contains(focused())) this.focusText();
    const { work } = session;
    this.moved(
      several(
        "Review of {text}, round {round}, {n} set.",
        "Review of {text}, round {round}, {n} sets.",
        work.sets.length,
        { text: nameOf(work.instance), round: work.round },
      ),
    );
    this.onshow?.(session);
  }

  /** What is asked now stands in the bar; only a question or claim of the text is repeated. */
  get repeatsRule() {
    return false;
  }

  /** Shows the session's state: marks, bar, sheet. */
  refresh() {
    const { session, dark } = this;
    if (!session) return;
    this.#paint(session);
    this.bar.update(session, { dark, busy: this.busy });
    this.sheet.update(session, { dark, busy: this.busy });
    this.updateWords(session);
  }

  /** @param {ReviewSession} session */
  #paint(session) {
    const picture = pictureOf(session, this.hovered);
    this.marks.paint(picture.sets, picture.lookAt, this.dark);
    const { out, added, gone, stop } = picture.overlays;
    this.marks.overlay("out", out);
    this.marks.overlay("added", added);
    this.marks.overlay("gone", gone);
    this.marks.overlay("stop", stop);
    this.markMap.update(session.work.sets, this.dark);
    this.text.classList.toggle("faded", picture.faded);
  }

  /**
   * A set under the pointer stands out from the others.
   * @param {number|null} index
   */
  hover(index) {
    if (this.hovered === index) return;
    this.hovered = index;
    if (this.session) this.#paint(this.session);
  }

  /** Another step: its view, its place in the text, its words. */
  moved(said = "") {
    this.closeHint();
    const { session } = this;
    if (!session) return;
    this.refresh();
    this.sheet.bringIntoView();
    this.#reveal(session);
    this.announce(together(said, describeStep(session)));
  }

  /** Another view of the same step. */
  looked() {
    const { session } = this;
    if (!session) return;
    this.refresh();
    this.#reveal(session);
    this.announce(this.bar.views.nameOf(session.view) + spokenStop(session));
  }

  /** Another stop within the view. */
  showStop() {
    const { session } = this;
    if (!session || session.stop === null) return;
    this.places.bring(session.stops[session.stop][0]);
    this.announce(stopWords(session, session.stop, SPOKEN_CHARS));
  }

  /**
   * Brings what the step is about into sight, unless some of it is there: the text does not jump for nothing.
   * @param {ReviewSession} given
   */
  #reveal({ stops, stop, step, view }) {
    if (stop !== null) return this.places.bring(stops[stop][0]);
    if (!stops.length || (step.set === null && view !== "changes") || view === "without") return;
    if (!stops.slice(0, PARTS).some(([start]) => this.places.isInSight(start))) this.places.bring(stops[0][0]);
  }

  focusSubmit() {
    this.bar.submit.focus({ preventScroll: true });
  }

  /** To the comment of the step; the page comes back to where it was when one leaves it. */
  focusComment() {
    const before = this.scroll;
    this.sheet.focusComment();
    this.scrollBack = this.scroll === before ? null : before;
  }

  leaveComment() {
    this.focusText();
    if (this.scrollBack !== null) this.scrollTo(this.scrollBack);
    this.scrollBack = null;
  }

  destroy() {
    document.removeEventListener("scroll", this.fit, { capture: true });
    super.destroy();
  }
}

/** @param {ReviewSession} session */
const spokenStop = (session) => (session.stop === null ? "" : `, ${stopWords(session, session.stop, SPOKEN_CHARS)}`);

/** @param {ReviewSession} session */
function describeStep(session) {
  const { step, at, steps, map, work } = session;
  const words = step.set === null ? "" : ` ${map.brief(work.sets[step.set].spans, SPOKEN_CHARS)}.`;
  const question = questionOf(session).join("");
  const where = _("Step {at} of {all}: {score} of {place}.", {
    at: at + 1,
    all: steps.length,
    score: scoreName(step.property),
    place: placeOf(step.set),
  });
  return `${together(where, question)}${words}${spokenStop(session)}`;
}
