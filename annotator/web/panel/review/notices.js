/** Boxes above the text of a review: what the gate decided, that it was submitted. */
import { button, element } from "../shared/dom.js";
import { Notices } from "../shared/notices.js";
import { decisionWords } from "./words.js";

export class ReviewNotices extends Notices {
  keyOf({ id, problem, conflict, work, unsaved }) {
    return [id, problem, conflict?.error, work.state, unsaved];
  }

  boxes(session) {
    return [this.#submitted(session), this.#decision(session)];
  }

  #submitted({ submitted, unsaved }) {
    if (!submitted) return null;
    if (unsaved === "unsent") {
      return this.box(
        "info",
        "warning",
        "You have changed a review that was submitted. Submit it again, or undo the change.",
        button("Undo the change", { onclick: this.actions.takeBack }),
      );
    }
    return this.box(
      "info",
      "check",
      "You have submitted this review. Until the round is decided you can change the scores and submit them again.",
      button("Back to work", { onclick: this.actions.goOn }),
    );
  }

  #decision({ work }) {
    if (work.state !== "decided" || !work.decision) return null;
    const { title, why } = decisionWords(work);
    const words = element("div", {}, element("p", { class: "notice-title" }, title), why && element("p", {}, why));
    const kind = work.decision.outcome === "accepted" ? "accepted" : "returned";
    return this.box(
      kind,
      kind === "accepted" ? "check" : "returned",
      words,
      button("Back to work", { onclick: this.actions.goOn }),
    );
  }
}
