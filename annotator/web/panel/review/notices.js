/** Boxes above the text of a review: what the gate decided, that it was submitted. */
import { _ } from "../words/language.js";
import { button, element } from "../shared/dom.js";
import { Notices } from "../shared/notices.js";
import { decisionWords } from "./words.js";

/** @extends {Notices<ReviewSession>} */
export class ReviewNotices extends Notices {
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
        _("You have changed a review that was submitted. Submit it again, or undo the change."),
        button(_("Undo the change"), { onclick: this.ways.takeBack }),
      );
    }
    return this.box(
      "info",
      "check",
      _("You have submitted this review. Until the round is decided you can change the scores and submit them again."),
      button(_("Back to work"), { onclick: this.actions.goOn }),
    );
  }

  /** @param {ReviewSession} given */
  #decision({ work }) {
    if (work.state !== "decided" || !work.decision) return null;
    const { title, why } = decisionWords(work.decision, work.round);
    const words = element("div", {}, element("p", { class: "notice-title" }, title), why && element("p", {}, why));
    const kind = work.decision.outcome === "accepted" ? "accepted" : "returned";
    return this.box(
      kind,
      kind === "accepted" ? "check" : "returned",
      words,
      button(_("Back to work"), { onclick: this.actions.goOn }),
    );
  }
}
