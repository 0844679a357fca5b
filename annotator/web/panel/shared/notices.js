/**
 * Boxes with what has to be known: above the text what belongs to it from the start (what reviewers said), at the lower
 * edge of the window what comes up while one works (why something was refused, what has to be decided): it never moves
 * the text.
 */
import { badgeOf } from "./chip.js";
import { button, element } from "./dom.js";
import { icon } from "./icons.js";
import { ProposedNotes } from "./proposed_notes.js";
import { signInLink } from "./sign_in.js";

const STANDS = {
  submitted: "You have submitted this text.",
  accepted: "Your work on this text was accepted.",
  proposed: "You have proposed to discard this text.",
  discarded: "This text was discarded.",
  "passed on": "This text was given to another annotator.",
};

export class Notices {
  /** @param {Object<string, Function>} actions */
  constructor(actions) {
    this.actions = actions;
    this.root = element("div", { class: "notices" });
    this.urgent = element("div", { class: "notices-urgent" });
    this.dock = element("div", { class: "dock" }, this.urgent);
    this.proposed = new ProposedNotes();
    this.page = null;
    this.key = "";
  }

  /** A notice that belongs to no text (signed out, something kept could not be sent), or null. */
  setPage(notice) {
    this.page = notice;
    this.#draw(this.session);
  }

  show(session) {
    this.key = "";
    this.#draw(session);
  }

  update(session, { dark }) {
    if (dark !== this.dark) this.key = "";
    this.dark = dark;
    this.#draw(session);
    if (session.offer) this.proposed.update(session);
  }

  #draw(session) {
    this.session = session;
    const key = JSON.stringify([this.page?.text, session && this.keyOf(session)]);
    if (key === this.key) return;
    this.key = key;
    this.root.replaceChildren(...(session ? this.boxes(session) : []).filter(Boolean));
    this.urgent.replaceChildren(
      ...[this.#page(), session && this.#problem(session), session && this.#conflict(session)].filter(Boolean),
    );
  }

  /** What the boxes of a session depend on. */
  keyOf({ id, problem, conflict, work, state, reopened }) {
    return [id, problem, conflict?.error, work.state, reopened, state.sets.map((set) => set.origin)];
  }

  /** The boxes above the text of a session; null for those that there is no reason for. */
  boxes(session) {
    return [this.#submitted(session), this.#reopened(session), this.#changed(session), this.#feedback(session)];
  }

  /** A pressed button goes away with its box; the focus then returns to the text. */
  box(kind, symbol, text, ...buttons) {
    const back = (event) => event.target.closest("button") && this.actions.focusText();
    return element(
      "div",
      { class: `notice ${kind}`, role: kind === "refused" ? "alert" : "note", onclick: back },
      icon(symbol),
      element("div", { class: "notice-text" }, text),
      ...buttons,
    );
  }

  #page() {
    if (!this.page) return null;
    return this.box(
      "refused",
      "warning",
      this.page.text,
      this.page.address && signInLink(this.page.address),
      !this.page.closable && button("Try again", { onclick: this.actions.retry }),
      this.page.closable && button("Close", { className: "plain", onclick: () => this.setPage(null) }),
    );
  }

  #problem(session) {
    const { problem } = session;
    if (!problem) return null;
    const buttons = [
      problem.warning && button("Submit anyway", { onclick: () => this.actions.submit(true) }),
      problem.lost && !problem.ended && button("Take it back", { onclick: this.actions.takeAgain }),
      problem.lost && button("Go on", { className: "plain", onclick: this.actions.goOn }),
      !problem.lost && button("Close", { className: "plain", onclick: () => this.#close(session) }),
    ].filter(Boolean);
    return this.box("refused", "warning", problem.error, ...buttons);
  }

  /** What was refused has been read: it need not stay. */
  #close(session) {
    session.problem = null;
    this.#draw(session);
  }

  #conflict({ conflict }) {
    if (!conflict) return null;
    return this.box(
      "refused",
      "warning",
      conflict.error,
      button("Keep the version here", { onclick: this.actions.keepMine }),
      button("Use the other version", { onclick: this.actions.takeTheirs }),
    );
  }

  /** What has become of a text that has left one's hands, with its scores and reasons. */
  #submitted({ work, state }) {
    if (work.state !== "submitted" || work.foreign) return null;
    const { state: stands = "submitted", closed = "", lines = [], sets = {} } = work.outcome ?? {};
    const mayReopen = !closed && (stands === "submitted" || stands === "accepted");
    const why = closed && (stands === "submitted" || stands === "accepted") ? ` It cannot be reopened: ${closed}.` : "";
    const words = element(
      "div",
      {},
      element("p", { class: "notice-title" }, STANDS[stands] ?? STANDS.submitted),
      element("p", {}, `You can read it here, but not change it.${why}`),
      ...lines.map((line) => element("p", {}, line)),
      ...this.#setLines(state, sets),
    );
    return this.box(
      "info",
      "lock",
      words,
      mayReopen && button("Reopen", { onclick: this.actions.withdraw }),
      button("Back to work", { key: "Shift+v", className: "plain", onclick: this.actions.forward }),
    );
  }

  /** A submission that was reopened is a draft, and the text that one left for it is waiting. */
  #reopened({ reopened, work }) {
    if (!reopened || work.state === "submitted") return null;
    return this.box(
      "info",
      "unlocked",
      "You have reopened this submission. It is a draft again until you submit it.",
      button("Return to the text that you left", { key: "Shift+v", className: "plain", onclick: this.actions.forward }),
    );
  }

  #setLines({ sets }, said) {
    return sets.flatMap((set, index) =>
      (said[set.origin] || []).map((line) => element("p", { class: "set-line" }, badgeOf(index, this.dark), line)),
    );
  }

  /** What somebody who judges a changed version is to know, with the way to its original. */
  #changed({ work }) {
    if (!work.is_changed || !this.actions.original) return null;
    const words = element("p", {}, "This is a changed version of another text. Judge it as it stands here.");
    return this.box(
      "changed",
      "warning",
      element("div", {}, words, this.proposed.root),
      button("Original", { key: "c", title: "The original, and what was changed", onclick: this.actions.original }),
    );
  }

  #feedback({ work, state }) {
    const { feedback } = work;
    if (!feedback) return null;
    const lines = feedback.lines.map((line) => element("p", {}, line));
    const sets = this.#setLines(state, feedback.sets ?? {});
    const title = element("p", { class: "notice-title" }, `Returned after round ${feedback.round}`);
    return this.box("returned", "returned", element("div", {}, title, ...lines, ...sets));
  }
}
