/** The result of the changed text: buttons for labels, or a field for an answer. */
import { _ } from "../words/language.js";
import { element } from "../shared/dom.js";
import { moveRadio } from "../shared/keys.js";

const STEPS = new Map([
  ["ArrowRight", 1],
  ["ArrowDown", 1],
  ["ArrowLeft", -1],
  ["ArrowUp", -1],
]);

export class ResultField {
  /** @param {Pick<PerturbRules, "labels"|"result_kind">} rules @param {() => void} onchange */
  constructor({ labels, result_kind: kind }, onchange) {
    this.labels = labels;
    this.onchange = onchange;
    /** @type {string|null} */
    this.value = null;
    /** @type {string|null}  the original's */
    this.original = null;
    this.isAnswer = kind === "answer" || !labels.length;
    this.pills = this.isAnswer ? [] : this.#pills();
    this.field = element("input", {
      class: "answer",
      type: "text",
      "aria-label": _("Answer to the changed text"),
      dir: "auto",
      oninput: () => this.#said(this.field.value.trim() ? this.field.value : null),
    });
    this.none = element(
      "button",
      {
        type: "button",
        class: "pill",
        "aria-pressed": "false",
        title: _("The changed text has no answer"),
        onclick: () => this.choose(this.value === "" ? null : ""),
      },
      _("no answer"),
    );
    this.same = element(
      "button",
      { type: "button", class: "button plain", onclick: () => this.choose(this.original) },
      _("as in the original"),
    );
    const pills = { class: "pills", role: "radiogroup", "aria-label": _("Label of the changed text") };
    this.root = element(
      "div",
      { class: "result" },
      element("span", { class: "result-title" }, this.isAnswer ? _("Answer") : _("Label")),
      this.isAnswer
        ? element("span", { class: "answer-ways" }, this.field, this.same, this.none)
        : element("div", pills, ...this.pills),
    );
  }

  #pills() {
    return this.labels.map((label, place) =>
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
  }

  /** @param {KeyboardEvent} event */
  #arrow(event) {
    const by = STEPS.get(event.key);
    if (!by || !(event.target instanceof HTMLElement)) return;
    event.preventDefault();
    moveRadio(event.target, by);
  }

  /** @param {string|null} original  of the original; null where it has none @param {string|null} value */
  show(original, value) {
    this.original = original;
    if (this.isAnswer) {
      this.same.hidden = !original;
      this.same.title = original ? _("The original's: {label}", { label: original }) : "";
    }
    this.#draw(value);
  }

  /** @param {string|null} value */
  choose(value) {
    this.#draw(value);
    this.#said(value);
  }

  /** @param {string|null} value */
  #said(value) {
    this.value = value;
    if (this.isAnswer) this.none.setAttribute("aria-pressed", String(value === ""));
    this.onchange();
  }

  /** @param {string|null} value */
  #draw(value) {
    this.value = value;
    if (this.isAnswer) {
      this.field.value = value || "";
      this.none.setAttribute("aria-pressed", String(value === ""));
      return;
    }
    const chosen = value === null ? -1 : this.labels.indexOf(value);
    this.pills.forEach((pill, place) => {
      pill.setAttribute("aria-checked", String(place === chosen));
      pill.tabIndex = place === Math.max(0, chosen) ? 0 : -1;
    });
  }

  focus() {
    (this.isAnswer ? this.field : this.pills.find((pill) => pill.tabIndex === 0))?.focus();
  }
}
