/** The one score that is asked for now: which it is, its question, and its scale with the papers' words. */
import { badgeOf } from "./chip.js";
import { button, element, setText } from "./dom.js";
import { SCALES, nameOf, placeOf, scoreAt } from "./review_scores.js";
import { questionOf } from "./review_words.js";

const LONGEST = Math.max(...Object.values(SCALES).map((words) => words.length));

export class Ask {
  constructor(actions) {
    this.where = element("span", { class: "ask-where" });
    const mover = (sign, key, title, by) =>
      button(sign, { key, title, className: "plain step-button", onclick: () => actions.move(by), "aria-label": title });
    this.back = mover("‹", "k", "Previous score", -1);
    this.forth = mover("›", "j", "Next score", 1);
    this.title = element("h2", { class: "ask-title" });
    this.question = element("p", { class: "ask-question" });
    this.choices = Array.from({ length: LONGEST }, (_, index) => choice(index + 1, actions));
    this.scale = element("div", { class: "scale", role: "radiogroup" }, ...this.choices.map(({ root }) => root));
    this.root = element("div", { class: "ask" },
      element("div", { class: "ask-steps" }, this.back, this.where, this.forth),
      element("div", { class: "ask-words" }, this.title, this.question), this.scale);
  }

  /** @param {import("./review_session.js").ReviewSession} session */
  update(session, { dark, readOnly }) {
    const { step, at, steps } = session;
    const name = nameOf(step.property);
    setText(this.where, `${at + 1} / ${steps.length}`);
    // Not `disabled`: the focus would fall off a button that is pressed at the last step.
    this.back.setAttribute("aria-disabled", String(at === 0));
    this.forth.setAttribute("aria-disabled", String(at === steps.length - 1));
    this.title.replaceChildren(step.set === null ? "The whole ·" : badgeOf(step.set, dark), ` ${name}`, session.work.state === "decided" ? " – yours" : "");
    const [before, result, after] = questionOf(session);
    this.question.replaceChildren(before, element("b", {}, result), after);
    this.question.title = before + result + after;
    this.scale.setAttribute("aria-label", `${name} of ${placeOf(step.set)}`);
    this.#updateScale(SCALES[step.property], scoreAt(session.scores, step), readOnly);
  }

  /** The same buttons for every step, so that the focus stays where it is. */
  #updateScale(words, score, readOnly) {
    this.choices.forEach(({ root, label }, index) => {
      root.hidden = index >= words.length;
      root.disabled = readOnly;
      setText(label, words[index] || "");
      root.setAttribute("aria-checked", String(score === index + 1));
      root.tabIndex = score === null ? (index ? -1 : 0) : score === index + 1 ? 0 : -1;
    });
  }
}

/** A step of the scale. A click leaves the focus where it was: then Space still scrolls and does not score again. */
function choice(value, actions) {
  const label = element("span", { class: "choice-words" });
  const root = element("button", {
    type: "button", class: "choice", role: "radio", "aria-keyshortcuts": String(value), onclick: () => actions.score(value),
    onmousedown: (event) => event.preventDefault(),
  }, element("kbd", {}, String(value)), label);
  return { root, label };
}
