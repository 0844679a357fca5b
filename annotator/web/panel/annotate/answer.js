/**
 * The answer in the bar: a field to type it, a button that takes it from the text, and a button that says that there is
 * none.
 */
import { _ } from "../words/language.js";
import { element, focused, press, toggle } from "../shared/dom.js";

export class AnswerField {
  /** @param {Pick<WorkActions, "result"|"look"|"noAnswer">} actions @param {string|null} given */
  constructor(actions, given) {
    this.given = given;
    /** @type {string|null} */
    this.result = null;
    this.input = element("input", {
      class: "answer",
      type: "text",
      dir: "auto",
      "aria-label": _("Answer"),
      // An empty field gives no answer; that the text has none is said by the button.
      oninput: () => actions.result(this.input.value === "" ? null : this.input.value),
      onblur: () => this.#write(),
    });
    this.pick = toggle(_("Select"), "0", _("Take the answer from the text: drag over its words"), () =>
      actions.look("answer"),
    );
    this.none = element(
      "button",
      {
        type: "button",
        class: "pill",
        title: _("The text holds no answer (i)"),
        "aria-keyshortcuts": "i",
        onclick: () => actions.noAnswer(),
      },
      _("No answer"),
      element("kbd", { "aria-hidden": "true" }, "i"),
    );
    this.nodes = [element("div", { class: "answer-ways" }, this.input, this.pick, this.none)];
  }

  /** @param {Session} given0 @param {{readOnly: boolean, isPicking: boolean}} given1 */
  update({ result }, { readOnly, isPicking }) {
    this.result = result;
    for (const part of [this.input, this.pick, this.none]) part.disabled = readOnly;
    press(this.none, result === "");
    press(this.pick, isPicking);
    this.input.classList.toggle("picking", isPicking);
    this.input.placeholder = this.#placeholder();
    // What is typed stands there already; anything else (undo, words of the text) comes from elsewhere.
    if (focused() !== this.input) this.#write();
  }

  #placeholder() {
    if (this.result === "") return _("the text holds no answer");
    return this.given ? _("as given: {answer}", { answer: this.given }) : _("type or select it");
  }

  #write() {
    const words = this.result ?? "";
    if (this.input.value !== words) this.input.value = words;
    this.input.title = words;
  }

  focus() {
    this.input.focus();
    this.input.select();
  }
}
