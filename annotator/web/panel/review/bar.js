/**
 * The review's bar, which stays in view: how far each set is, what is asked now, the views of the text, and the ways
 * on.
 */
import { _ } from "../words/language.js";
import { makeChip, paintChip, setWords } from "../shared/chip.js";
import { button, element, setText } from "../shared/dom.js";
import { icon } from "../shared/icons.js";
import { sizeOf } from "../shared/model.js";
import { Ask } from "./ask.js";
import { isUnsure, nameOf, scoreAt, wordsOf } from "./scores.js";
import { Views } from "./views.js";
import { carriedWords } from "./words.js";
import { Word } from "../shared/word.js";

const MANY_SETS = 5;
/** @type {ScoreName[]}  what each set is scored by */
const SET_SCORES = ["sufficiency", "compactness"];

/** @typedef {ReturnType<typeof scoreBoxes>} Boxes  the scores of a set, one box each */
/** @typedef {ReturnType<typeof makeChip> & {boxes: Boxes|null}} SetChip  of a set that has passed: without boxes */

export class ReviewBar {
  /** @param {ReviewActions} actions */
  constructor(actions) {
    this.actions = actions;
    /** @type {SetChip[]} */
    this.chips = [];
    /** @type {ReviewedSet[]|null}  whose chips there are */
    this.drawn = null;
    const boxes = scoreBoxes(["comprehensiveness"]);
    /** @type {{root: HTMLElement, boxes: Boxes}} */
    this.whole = { root: this.#makeWhole(boxes), boxes };
    this.word = new Word();
    this.ask = new Ask(actions);
    this.views = new Views(actions);
    this.sets = element("div", { class: "sets", role: "radiogroup", "aria-label": _("Sets to score") });
    this.sets.addEventListener("pointerleave", () => actions.hover(null));
    this.skip = button(_("Skip"), { key: "s", className: "skip", title: _("Skip for now"), onclick: actions.skip });
    this.submit = button(_("Submit"), {
      key: "Ctrl+⏎",
      className: "primary",
      title: _("Submit and go on"),
      onclick: () => actions.submit(),
    });
    this.ways = element("div", { class: "ways" }, this.skip, this.submit);
    this.main = element(
      "div",
      { class: "row main-row" },
      element("div", { class: "sets-group" }, this.sets),
      this.word.root,
      this.ways,
    );
    this.root = element(
      "div",
      { class: "bar", role: "group", "aria-label": _("Scores, views and submit"), tabIndex: -1 },
      this.main,
      this.ask.root,
      this.views.root,
    );
  }

  /** @param {import("./session.js").ReviewSession} session @param {{dark: boolean, busy: boolean}} given */
  update(session, { dark, busy }) {
    const isDecided = session.work.state === "decided";
    this.#updateChips(session, dark);
    this.ask.update(session, { dark, readOnly: busy || !session.open });
    this.views.update(session);
    this.ways.hidden = this.word.root.hidden = isDecided;
    this.skip.hidden = session.submitted;
    this.skip.disabled = this.submit.disabled = busy || !session.open;
  }

  /** @param {ReviewSession} session @param {boolean} dark */
  #updateChips(session, dark) {
    const { work } = session;
    if (this.drawn !== session.work.sets) this.#makeChips(work);
    this.drawn = session.work.sets;
    this.main.classList.toggle("many", work.sets.length > MANY_SETS);
    work.sets.forEach((set, index) => this.#updateChip(session, set, index, dark));
    const chosen = session.step.set === null && session.pinned === null;
    this.whole.root.setAttribute("aria-checked", String(chosen));
    this.whole.root.tabIndex = chosen ? 0 : -1;
    this.whole.root.setAttribute(
      "aria-label",
      _("The whole, {scores}", { scores: this.#paintBoxes(this.whole, session, null).join(", ") }),
    );
  }

  /** @param {ReviewWork} given */
  #makeChips({ sets }) {
    this.chips = sets.map((set, index) => this.#makeSetChip(set, index));
    this.sets.replaceChildren(...this.chips.map((chip) => chip.root), this.whole.root);
  }

  /** @param {Boxes} boxes */
  #makeWhole(boxes) {
    return element(
      "button",
      {
        type: "button",
        class: "chip whole",
        role: "radio",
        "aria-checked": "false",
        title: _("The whole: comprehensiveness score"),
        onclick: () => this.actions.choose(null),
        onpointerenter: () => this.actions.hover(null),
      },
      element("span", { class: "whole-name" }, _("The whole")),
      boxes.root,
    );
  }

  /** @param {ReviewedSet} set @param {number} index */
  #makeSetChip(set, index) {
    const boxes = set.carried ? null : scoreBoxes(SET_SCORES);
    const passed = set.carried && element("span", { class: "passed" }, icon("check"), _("passed"));
    const chip = makeChip(
      index,
      {
        /** @param {MouseEvent} event */
        onclick: (event) => this.actions.choose(index, propertyAt(event.target)),
        onpointerenter: () => this.actions.hover(index),
      },
      boxes?.root || passed,
    );
    return { ...chip, boxes };
  }

  /** @param {ReviewSession} session @param {ReviewedSet} set @param {number} index @param {boolean} dark */
  #updateChip(session, set, index, dark) {
    const chip = this.chips[index];
    const size = sizeOf(set.spans);
    const chosen = index === (session.pinned ?? session.step.set);
    paintChip(chip, { index, count: session.work.sets.length, size, chosen, dark });
    const states = set.carried ? [carriedWords(set.carried)] : this.#paintBoxes(chip, session, index);
    const words = setWords(index, size);
    chip.root.title = [words, ...states].join(" – ");
    chip.root.setAttribute("aria-label", [words, ...states].join(", "));
  }

  /**
   * Shows the scores in their boxes.
   * @param {{boxes: Boxes|null}} given0
   * @param {ReviewSession} given1
   * @param {number|null} set
   * @returns {string[]} the same in words
   */
  #paintBoxes({ boxes }, { scores, step }, set) {
    return (boxes?.made ?? []).map(({ property, box }) => {
      const score = scoreAt(scores, { property, set });
      setText(box, score === null ? "–" : String(score));
      box.classList.toggle("is-given", score !== null);
      box.classList.toggle("unsure", isUnsure(property, score));
      box.classList.toggle("asked", step.set === set && step.property === property);
      const name = nameOf(property);
      return score === null
        ? _("{score} missing", { score: name })
        : _("{score} {number} ({words})", { score: name, number: score, words: wordsOf(property, score) });
    });
  }
}

/** @param {ScoreName[]} properties */
function scoreBoxes(properties) {
  const made = properties.map((property) => ({
    property,
    box: element("span", { class: "score-box", "data-property": property }, "–"),
  }));
  return { made, root: element("span", { class: "score-boxes" }, ...made.map(({ box }) => box)) };
}

/**
 * The score whose box was pressed, if it was one.
 * @param {EventTarget|null} target
 * @returns {ScoreName|null}
 */
function propertyAt(target) {
  const at = target instanceof Element ? target.closest("[data-property]")?.getAttribute("data-property") : null;
  return SET_SCORES.find((name) => name === at) ?? null;
}
