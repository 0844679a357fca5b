/**
 * The one score that is asked for now: which it is, its question, and its scale with the papers' words. The same number
 * means something else on each scale, so what was chosen stands there in words: large beside the scale's name, and all
 * in one line.
 */
import { _ } from "../words/language.js";
import { badgeOf } from "../shared/chip.js";
import { button, element, part, setText } from "../shared/dom.js";
import { SCALES, isUnsure, nameOf, placeOf, scoreAt, wordsOf } from "./scores.js";
import { questionOf } from "./words.js";

const LONGEST = Math.max(...Object.values(SCALES).map((words) => words.length));

/** @typedef {import("./scores.js").Step} Step */

export class Ask {
  /** @param {ReviewActions} actions */
  constructor(actions) {
    this.where = element("span", { class: "ask-where" });
    /** @param {string} sign @param {string} key @param {string} title @param {number} by */
    const mover = (sign, key, title, by) =>
      button(sign, {
        key,
        title,
        className: "plain step-button",
        onclick: () => actions.move(by),
        "aria-label": title,
      });
    this.back = mover("‹", "k", _("Previous score"), -1);
    this.forth = mover("›", "j", _("Next score"), 1);
    this.title = element("h2", { class: "ask-title" });
    this.chosen = element("span", { class: "ask-chosen" });
    this.question = element("p", { class: "ask-question" });
    this.given = element("p", { class: "ask-given", "aria-label": _("Scores given") });
    this.choices = Array.from({ length: LONGEST }, (_, index) => choice(index + 1, actions));
    this.scale = element("div", { class: "scale", role: "radiogroup" }, ...this.choices.map(({ root }) => root));
    this.root = element(
      "div",
      { class: "ask" },
      element("div", { class: "ask-steps" }, this.back, this.where, this.forth),
      element(
        "div",
        { class: "ask-words" },
        element("div", { class: "ask-top" }, this.title, this.chosen),
        this.question,
      ),
      this.scale,
      this.given,
    );
  }

  /** @param {import("./session.js").ReviewSession} session @param {{dark: boolean, readOnly: boolean}} given */
  update(session, { dark, readOnly }) {
    const { step, at, steps } = session;
    const name = nameOf(step.property);
    setText(this.where, `${at + 1} / ${steps.length}`);
    // Not `disabled`: the focus would fall off a button that is pressed at the last step.
    this.back.setAttribute("aria-disabled", String(at === 0));
    this.forth.setAttribute("aria-disabled", String(at === steps.length - 1));
    this.title.replaceChildren(
      step.set === null ? _("The whole ·") : badgeOf(step.set, dark),
      " ",
      session.work.state === "decided" ? _("{score} – yours", { score: name }) : name,
    );
    const [before, result, after] = questionOf(session);
    this.question.replaceChildren(before, element("b", {}, result), after);
    this.question.title = before + result + after;
    this.scale.setAttribute("aria-label", _("{score} of {place}", { score: name, place: placeOf(step.set) }));
    const score = scoreAt(session.scores, step);
    setText(this.chosen, score === null ? "" : wordsOf(step.property, score));
    this.chosen.classList.toggle("unsure", isUnsure(step.property, score));
    this.#updateScale(step.property, score, readOnly);
    this.#updateGiven(session, dark);
  }

  /**
   * What has been given, in the words of the scales; the part of the step in sight.
   * @param {ReviewSession} given
   * @param {boolean} dark
   */
  #updateGiven({ steps, step, scores }, dark) {
    const places = [...new Set(steps.map(({ set }) => set))];
    const parts = places.map((set) =>
      element(
        "span",
        { class: set === step.set ? "given-part at-hand" : "given-part" },
        set === null ? _("The whole") : badgeOf(set, dark),
        ...steps.filter((one) => one.set === set).map((one) => givenWords(one.property, scoreAt(scores, one))),
      ),
    );
    this.given.replaceChildren(...parts);
    this.given.title = parts.map((part) => [...part.childNodes].map((node) => node.textContent).join(" ")).join(" · ");
    const at = part(this.given, ".at-hand", HTMLElement);
    this.given.scrollLeft = at.offsetLeft + at.offsetWidth - this.given.clientWidth;
  }

  /**
   * The same buttons for every step, so that the focus stays where it is.
   * @param {ScoreName} property
   * @param {number|null} score
   * @param {boolean} readOnly
   */
  #updateScale(property, score, readOnly) {
    const words = SCALES[property];
    this.choices.forEach(({ root, label }, index) => {
      root.hidden = index >= words.length;
      root.disabled = readOnly;
      root.classList.toggle("unsure", isUnsure(property, index + 1));
      setText(label, words[index] || "");
      root.setAttribute("aria-checked", String(score === index + 1));
      root.tabIndex = score === null ? (index ? -1 : 0) : score === index + 1 ? 0 : -1;
    });
  }
}

/**
 * A step of the scale. A click leaves the focus where it was: then Space still scrolls and does not score again.
 * @param {number} value
 * @param {Pick<ReviewActions, "score">} actions
 */
function choice(value, actions) {
  const label = element("span", { class: "choice-words" });
  const root = element(
    "button",
    {
      type: "button",
      class: "choice",
      role: "radio",
      "aria-keyshortcuts": String(value),
      onclick: () => actions.score(value),
      onmousedown: (event) => event.preventDefault(),
    },
    element("kbd", {}, String(value)),
    label,
  );
  return { root, label };
}

/** @param {ScoreName} property @param {number|null} score */
const givenWords = (property, score) =>
  element(
    "span",
    { class: isUnsure(property, score) ? "given-words unsure" : "given-words" },
    wordsOf(property, score),
  );
