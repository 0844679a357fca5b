/** The result of the changed text: buttons for labels, or a field for an answer. */
import { element } from "../shared/dom.js";
import { moveRadio } from "../shared/keys.js";

export class ResultField {
  constructor({ labels, result_kind: kind }, onchange) {
    this.labels = labels;
    this.onchange = onchange;
    this.value = null;
    this.isAnswer = kind === "answer" || !labels.length;
    this.root = element(
      "div",
      { class: "result" },
      element("span", { class: "result-title" }, this.isAnswer ? "Answer" : "Label"),
      this.isAnswer ? this.#answer() : this.#pills(),
    );
  }

  #pills() {
    this.pills = this.labels.map((label, place) =>
      element(
        "button",
        {
          type: "button",
          class: "pill",
          role: "radio",
          "aria-checked": "false",
          title: place < 9 ? `${label} (${place + 1})` : label,
          onclick: () => this.choose(label),
          onkeydown: (event) => this.#arrow(event),
        },
        label,
        place < 9 && element("kbd", { "aria-hidden": "true" }, String(place + 1)),
      ),
    );
    return element(
      "div",
      { class: "pills", role: "radiogroup", "aria-label": "Label of the changed text" },
      ...this.pills,
    );
  }

  #arrow(event) {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    moveRadio(event.target, by);
  }

  #answer() {
    this.field = element("input", {
      class: "answer",
      type: "text",
      "aria-label": "Answer to the changed text",
      dir: "auto",
      oninput: () => this.#said(this.field.value.trim() ? this.field.value : null),
    });
    this.none = element(
      "button",
      {
        type: "button",
        class: "pill",
        "aria-pressed": "false",
        title: "The changed text has no answer",
        onclick: () => this.choose(this.value === "" ? null : ""),
      },
      "no answer",
    );
    this.same = element(
      "button",
      { type: "button", class: "button plain", onclick: () => this.choose(this.original) },
      "as in the original",
    );
    return element("span", { class: "answer-ways" }, this.field, this.same, this.none);
  }

  /** @param {string|null} original  of the original; null where it has none */
  show(original, value) {
    this.original = original;
    if (this.isAnswer) {
      this.same.hidden = !original;
      this.same.title = `The original's: ${original}`;
    }
    this.#draw(value);
  }

  choose(value) {
    this.#draw(value);
    this.#said(value);
  }

  #said(value) {
    this.value = value;
    if (this.isAnswer) this.none.setAttribute("aria-pressed", String(value === ""));
    this.onchange();
  }

  #draw(value) {
    this.value = value;
    if (this.isAnswer) {
      this.field.value = value || "";
      this.none.setAttribute("aria-pressed", String(value === ""));
      return;
    }
    const chosen = this.labels.indexOf(value);
    this.pills.forEach((pill, place) => {
      pill.setAttribute("aria-checked", String(place === chosen));
      pill.tabIndex = place === Math.max(0, chosen) ? 0 : -1;
    });
  }

  focus() {
    (this.field || this.pills.find((pill) => pill.tabIndex === 0)).focus();
  }
}
