/** The line above the bar: what is asked, and the quiet buttons for what one needs now and then. */
import { button, element, setText } from "./dom.js";

export class Head {
  constructor(actions) {
    this.question = element("p", { class: "question" });
    this.key = element("span", { class: "instance-key", title: "Key of this text" });
    this.buttons = element(
      "div", { class: "head-buttons" },
      this.key,
      button("Guidelines", { key: "g", className: "plain", onclick: actions.guidelines }),
      button("My work", { key: "m", className: "plain", title: "My finished work", onclick: actions.mine }),
      button("Keys", { key: "?", className: "plain", title: "List of keys", onclick: actions.keys }),
    );
    this.root = element("div", { class: "head" }, this.question, this.buttons);
  }

  show(session) {
    const { instance, round } = session.work;
    setText(this.key, instance.key + (round > 1 ? ` · round ${round}` : ""));
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
