/** Boxes above the text of one's own work: what has become of it, that it was reopened, changed, or sent back. */
import { _ } from "../words/language.js";
import { badgeOf } from "../shared/chip.js";
import { button, element } from "../shared/dom.js";
import { Notices } from "../shared/notices.js";
import { ProposedNotes } from "./proposed_notes.js";

/** @type {Record<string, string>} */
const STANDS = {
  submitted: _("You have submitted this text."),
  accepted: _("Your work on this text was accepted."),
  proposed: _("You have proposed to discard this text."),
  discarded: _("This text was discarded."),
  "passed on": _("This text was given to another annotator."),
};

/** @extends {Notices<Session>} */
export class WorkNotices extends Notices {
  /** @param {WorkActions} actions */
  constructor(actions) {
    super(actions);
    this.ways = actions;
    this.proposed = new ProposedNotes();
  }

  /** @param {Session} session @param {{dark: boolean}} look */
  update(session, look) {
    super.update(session, look);
    this.proposed.update(session);
  }

  /** @param {Session} session */
  keyOf(session) {
    return [...super.keyOf(session), session.reopened, session.state.sets.map((set) => set.origin)];
  }

  /** @param {Session} session */
  boxes(session) {
    return [this.#submitted(session), this.#reopened(session), this.#changed(session), this.#feedback(session)];
  }

  /**
   * What has become of a text that has left one's hands, with its scores and reasons.
   * @param {Session} given
   */
  #submitted({ work, state }) {
    if (work.state !== "submitted" || work.foreign) return null;
    const { state: stands = "submitted", closed = "", lines = [], sets = {} } = work.outcome ?? {};
    const mayReopen = !closed && (stands === "submitted" || stands === "accepted");
    const read =
      closed && (stands === "submitted" || stands === "accepted")
        ? _("You can read it here, but not change it. It cannot be reopened: {why}.", { why: closed })
        : _("You can read it here, but not change it.");
    const words = element(
      "div",
      {},
      element("p", { class: "notice-title" }, STANDS[stands] ?? STANDS.submitted),
      element("p", {}, read),
      ...lines.map((line) => element("p", {}, line)),
      ...this.#setLines(state, sets),
    );
    return this.box(
      "info",
      "lock",
      words,
      mayReopen && button(_("Reopen"), { onclick: this.ways.withdraw }),
      button(_("Back to work"), { key: "Shift+v", className: "plain", onclick: this.ways.forward }),
    );
  }

  /**
   * A submission that was reopened is a draft, and the text that one left for it is waiting.
   * @param {Session} session
   */
  #reopened({ reopened, work }) {
    if (!reopened || work.state === "submitted") return null;
    return this.box(
      "info",
      "unlocked",
      _("You have reopened this submission. It is a draft again until you submit it."),
      button(_("Return to the text that you left"), { key: "Shift+v", className: "plain", onclick: this.ways.forward }),
    );
  }

  /** @param {State} given @param {Record<number, string[]>} said */
  #setLines({ sets }, said) {
    return sets.flatMap((set, index) =>
      (set.origin === null ? [] : (said[set.origin] ?? [])).map((line) =>
        element("p", { class: "set-line" }, badgeOf(index, this.dark), line),
      ),
    );
  }

  /**
   * What somebody who judges a changed version is to know, with the way to its original.
   * @param {Session} given
   */
  #changed({ work }) {
    if (!work.is_changed || !this.ways.original) return null;
    const words = element("p", {}, _("This is a changed version of another text. Judge it as it stands here."));
    return this.box(
      "changed",
      "warning",
      element("div", {}, words, this.proposed.root),
      button(_("Original"), { key: "c", title: _("The original, and what was changed"), onclick: this.ways.original }),
    );
  }

  /** @param {Session} given */
  #feedback({ work, state }) {
    const { feedback } = work;
    if (!feedback) return null;
    const lines = feedback.lines.map((line) => element("p", {}, line));
    const sets = this.#setLines(state, feedback.sets ?? {});
    const title = element("p", { class: "notice-title" }, _("Returned after round {round}", { round: feedback.round }));
    return this.box("returned", "returned", element("div", {}, title, ...lines, ...sets));
  }
}
