/** The bar that stays in view: the label, the sets, the views, and the ways on. */
import { button, element, press, setText, toggle } from "./dom.js";
import { makeChip, paintChip, setWords } from "./chip.js";
import { icon } from "./icons.js";
import { ProposedRow } from "./proposed_row.js";
import { Word } from "./word.js";

const MANY_LABELS = 6;

export class Bar {
  /** @param {Object<string, Function>} actions */
  constructor(actions) {
    this.actions = actions;
    this.chips = [];
    this.result = element("div", { class: "result" });
    this.word = new Word();
    this.#makeButtons();
    this.sets = element("div", { class: "sets", role: "radiogroup", "aria-label": "Rationale sets" });
    this.proposed = new ProposedRow(actions);
    this.tools = element("div", { class: "row tools-row" }, element("div", { class: "sets-group" }, this.sets, this.adder), this.views);
    this.root = element("div", { class: "bar", role: "toolbar", "aria-label": "Label, rationale sets and submit", tabIndex: -1 },
      element("div", { class: "row main-row" }, element("div", { class: "result-group" }, this.result, this.none), this.word.root, this.ways), this.tools, this.proposed.root);
    this.sets.addEventListener("pointerleave", () => actions.hover(null));
  }

  #makeButtons() {
    const { actions } = this;
    this.undo = button("", { icon: icon("undo"), title: "Undo (Ctrl+Z)", className: "plain square", onclick: actions.undo, "aria-label": "Undo" });
    this.redo = button("", { icon: icon("redo"), title: "Redo (Ctrl+Shift+Z)", className: "plain square", onclick: actions.redo, "aria-label": "Redo" });
    this.skip = button("Skip", { key: "s", title: "Skip for now", onclick: actions.skip });
    this.discard = button("Discard", { key: "d", title: "Propose to discard", onclick: actions.discard });
    this.submit = button("Submit", { key: "Ctrl+⏎", className: "primary", title: "Submit and go on", onclick: () => actions.submit() });
    this.ways = element("div", { class: "ways" }, this.undo, this.redo, this.skip, this.discard, this.submit);
    this.adder = button("New set", { key: "n", className: "plain adder", onclick: actions.newSet });
    this.erase = toggle("Erase", "e", "Clicks and drags remove tokens", () => actions.look("erase"));
    this.only = toggle("Only this", "o", "Show only the words of this set", () => actions.look("only"));
    this.hide = toggle("Without", "x", "Show everything but the sets", () => actions.look("hide"));
    this.none = toggle("No rationale", "", "No rationale in the text: it holds nothing that supports the result", actions.noRationale);
    this.views = element("div", { class: "views" }, this.erase, this.only, this.hide);
  }

  /** @param {import("./session.js").Session} session */
  update(session, look) {
    this.#updateResult(session, look);
    this.#updateChips(session, look);
    this.#updateButtons(session, look);
    this.proposed.update(session, look);
  }

  #updateButtons({ project, state, history, work }, { looks, readOnly, readMode, busy }) {
    const labelsOnly = project?.result_mode === "labels_only";
    this.tools.hidden = labelsOnly;
    this.ways.hidden = readMode || work.state === "submitted";
    this.word.root.hidden = readMode;
    this.adder.hidden = readOnly && !busy;
    this.erase.hidden = readOnly && !busy;
    this.none.hidden = readMode || !project?.may_be_empty || labelsOnly;
    for (const made of [this.skip, this.discard, this.submit, this.adder]) made.disabled = readOnly;
    this.none.disabled = readOnly;
    this.undo.disabled = readOnly || !history.past.length;
    this.redo.disabled = readOnly || !history.future.length;
    this.hide.hidden = this.only.hidden = readMode;
    press(this.erase, looks.erase);
    press(this.only, looks.only);
    press(this.hide, looks.hide);
    press(this.none, state.noRationale);
  }

  #updateChips({ state, work }, { readMode, looks, dark }) {
    const { sets } = state;
    while (this.chips.length > sets.length) this.chips.pop().root.remove();
    while (this.chips.length < sets.length) this.#addChip(this.chips.length);
    this.tools.classList.toggle("many", sets.length > 5);
    const chosen = readMode ? looks.pinned : state.current;
    sets.forEach((set, index) => this.#updateChip(index, set, index === chosen, work.feedback?.sets?.[set.origin] || [], dark));
  }

  #addChip(index) {
    const lock = element("span", { class: "lock", hidden: true }, icon("lock"));
    const flag = element("span", { class: "flag", hidden: true }, icon("returned"));
    const key = index < 9 ? element("kbd", { "aria-hidden": "true" }, String(index + 1)) : null;
    const chip = makeChip(index, {
      onclick: (event) => (event.target.closest(".lock") ? this.actions.unlock(index) : this.actions.choose(index)),
      onpointerenter: () => this.actions.hover(index),
    }, lock, flag, key);
    this.chips.push({ ...chip, lock, flag });
    this.sets.append(chip.root);
  }

  #updateChip(index, set, chosen, feedback, dark) {
    const chip = this.chips[index];
    paintChip(chip, { index, count: this.chips.length, size: set.size, chosen, dark });
    chip.lock.hidden = !set.locked;
    chip.flag.hidden = !feedback.length;
    const words = setWords(index, set.size);
    const notes = [set.locked && "passed and locked: click the lock, or u, to unlock", ...feedback].filter(Boolean).join(" · ");
    chip.root.title = [words, index < 9 && `key ${index + 1}`, notes].filter(Boolean).join(" – ");
    chip.root.setAttribute("aria-label", [words, notes].filter(Boolean).join(", "));
  }

  /** The result's place is built anew only when its kind, choice or right to choose changes. */
  #updateResult(session, { readOnly, readMode }) {
    const { project, work } = session;
    const given = work.result?.given ?? null;
    const kind = project?.result_kind || work.result?.kind || "label";
    const fixed = !project || project.result_mode === "confirm" || readMode;
    const key = JSON.stringify([session.id, kind, fixed, readOnly, given, kind === "answer" && !fixed ? null : session.result]);
    if (key === this.resultKey) return;
    this.resultKey = key;
    this.result.replaceChildren(...this.#resultParts(session, kind, fixed, readOnly, given));
  }

  #resultParts(session, kind, fixed, readOnly, given) {
    const title = element("span", { class: "result-title" }, kind === "answer" ? "Answer" : "Label");
    const shown = session.result;
    if (fixed) return shown === null ? [] : [title, element("span", { class: "given" }, shown === "" ? "no answer" : shown)];
    if (kind === "answer") return [title, this.#answerField(shown, given, readOnly)];
    const { labels, result_mode: mode } = session.project;
    const choice = labels.length > MANY_LABELS ? this.#labelList(labels, shown, readOnly) : this.#labelPills(session, shown, given, readOnly);
    return [title, choice, mode !== "labels_only" && element("kbd", { "aria-hidden": "true" }, "l")].filter(Boolean);
  }

  #labelPills(session, shown, given, readOnly) {
    const labelsOnly = session.project.result_mode === "labels_only";
    const pills = session.project.labels.map((label, index) => element("button", {
      type: "button", class: "pill", role: "radio", "aria-checked": String(label === shown), disabled: readOnly,
      tabIndex: label === shown || (shown === null && index === 0) ? 0 : -1,
      title: label === given ? `${label} – as given` : label, onclick: () => this.actions.result(label),
    }, labelsOnly && index < 9 && element("kbd", { "aria-hidden": "true" }, String(index + 1)), label,
    given !== null && label === given && label !== shown && element("span", { class: "was" }, "given")));
    return element("div", { class: "pills", role: "radiogroup", "aria-label": "Label" }, ...pills);
  }

  #labelList(labels, shown, readOnly) {
    const list = element("select", { class: "labels", "aria-label": "Label", disabled: readOnly, onchange: () => this.actions.result(list.value) },
      element("option", { value: "", disabled: true, selected: shown === null }, "Choose a label"),
      ...labels.map((label) => element("option", { value: label, selected: label === shown }, label)));
    return list;
  }

  #answerField(shown, given, readOnly) {
    this.answer = element("input", {
      class: "answer", type: "text", value: shown ?? given ?? "", dir: "auto", disabled: readOnly,
      "aria-label": "Answer", placeholder: "the answer; empty if there is none", oninput: () => this.actions.result(this.answer.value),
    });
    return this.answer;
  }

  focusAnswer() {
    this.answer?.focus();
    this.answer?.select();
  }
}
