/** The line above the bar: what is asked, and the quiet buttons for what one needs now and then. */
import { button, element, setText } from "./dom.js";

export class Head {
  /** @param {{mine: string, mineTitle: string}} [words]  what one's finished work is called */
  constructor(actions, { mine = "My work", mineTitle = "My finished work" } = {}) {
    this.question = element("p", { class: "question" });
    this.key = element("span", { class: "instance-key", title: "Key of this text" });
    this.buttons = element(
      "div", { class: "head-buttons" },
      this.key,
      actions.ask && (this.talk = button("Ask", { key: "q", className: "plain talk-button", title: "Ask the lead; comments on this text", onclick: actions.ask })),
      actions.answers && (this.model = button("Model", { key: "w", className: "plain", title: "What the project's model answers to the sets", onclick: actions.answers, hidden: true })),
      (this.guidelines = button("Guidelines", { key: "g", className: "plain", onclick: actions.guidelines })),
      button(mine, { key: "m", className: "plain", title: mineTitle, onclick: actions.mine }),
      button("Keys", { key: "?", className: "plain", title: "List of keys", onclick: actions.keys }),
    );
    this.root = element("div", { class: "head" }, this.question, this.buttons);
  }

  show(session) {
    const { instance, round, max_rounds: most } = session.work;
    const rounds = most ? ` · round ${round} of ${most}` : round > 1 ? ` · round ${round}` : "";
    setText(this.key, instance.key + rounds);
    if (this.model) this.model.hidden = !session.project?.asks_model;
  }

  /** How many comments there are on this text; new: some that were not seen in this browser. */
  showTalk(count, isNew) {
    if (!this.talk) return;
    setText(this.talk.querySelector(".button-label"), count ? `Ask · ${count}` : "Ask");
    this.talk.classList.toggle("new", isNew);
    this.talk.setAttribute("aria-label", count ? `Ask the lead; ${count} ${isNew ? "comments, some new" : "comments"}` : "Ask the lead");
  }

  /** The result stands in the question in bold; before it is chosen, dots stand for it. */
  update(session) {
    const question = session.project?.question || "";
    const result = session.result;
    const shown = `${question}\u0000${result}`;
    if (shown === this.shown) return;
    this.shown = shown;
    const parts = question.split("{result}");
    const nodes = parts.flatMap((part, index) => (index ? [element("b", {}, result === null ? "…" : result || "no answer"), part] : [part]));
    this.question.replaceChildren(...nodes);
  }
}
