/**
 * The review's bar, which stays in view: how far each set is, what is asked now, the views of the text, and the ways
 * on.
 */
import { sizeOf } from "../shared/annotation.js";
import { button, div, element, icon, inline, paragraph, press, pressable, setText, toggle } from "../shared/dom.js";
import { counted } from "../shared/naming.js";
import { SavingLabel } from "../shared/saving.js";
import { badgeOf, makeChip, paintChip, setWords } from "../shared/set_styles.js";
import { _ } from "../words/language.js";
import {
  SCALES,
  VIEWS,
  carriedWords,
  isUnsure,
  nameOf,
  placeOf,
  questionOf,
  scoreAt,
  stopWords,
  wordsOf,
} from "./scores.js";
import { changesOf } from "./session.js";

// ---- The score that is asked for now. A number means something else on each scale, so what was chosen stands there
// in words

const LONGEST = Math.max(...Object.values(SCALES).map((words) => words.length));

/** @typedef {import("./scores.js").Step} Step */

export class ScorePrompt {
  /** @param {ReviewActions} actions */
  constructor(actions) {
    this.where = inline("ask-where");
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
    this.chosen = inline("ask-chosen");
    this.question = paragraph("ask-question");
    this.choices = Array.from({ length: LONGEST }, (_, index) => choice(index + 1, actions));
    this.scale = element("div", { class: "scale", role: "radiogroup" }, ...this.choices.map(({ root }) => root));
    this.root = div(
      "ask",
      div("ask-steps", this.back, this.where, this.forth),
      div("ask-words", div("ask-top", this.title, this.chosen), this.question),
      this.scale,
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
  const label = inline("choice-words");
  const root = pressable(
    "choice",
    {
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

// ---- The views of the text, and where one stands in the one that is shown

const BRIEF_CHARS = 24;

/** @typedef {import("./session.js").View} View */

export class Views {
  /** @param {Pick<ReviewActions, "look"|"arrow">} actions */
  constructor(actions) {
    /** @type {Map<View, HTMLButtonElement>} */
    this.buttons = new Map();
    for (const [view, label, key, title] of VIEWS)
      this.buttons.set(
        view,
        toggle(label, key, title, () => actions.look(view)),
      );
    this.place = inline("stop-words");
    this.legend = inline("legend");
    /** @param {string} sign @param {string} title @param {boolean} right */
    const stepper = (sign, title, right) =>
      button(sign, {
        title: `${title} (${sign})`,
        className: "plain square",
        onclick: () => actions.arrow(right),
        "aria-label": title,
      });
    const back = stepper("←", _("Previous part"), false);
    const forth = stepper("→", _("Next part"), true);
    this.stepping = inline("stepping", this.place, back, forth);
    const views = element(
      "div",
      { class: "views", role: "group", "aria-label": _("Views of the text") },
      ...this.buttons.values(),
    );
    this.root = div("row views-row", views, div("stops", this.legend, this.stepping));
  }

  /** @param {import("./session.js").ReviewSession} session */
  update(session) {
    const { views, view, stops, stop, work } = session;
    for (const [name, made] of this.buttons) {
      made.disabled = !views.includes(name);
      made.hidden = name === "changes" && !work.previous;
      press(made, name === view);
    }
    // Where there is only one place there is nothing to step through.
    this.stepping.hidden = stops.length < 2 && view !== "less";
    const count = view === "changes" ? "" : counted(stops.length, "part");
    setText(this.place, stop === null ? count : stopWords(session, stop, BRIEF_CHARS));
    this.legend.hidden = view !== "changes";
    if (view === "changes") this.legend.replaceChildren(...legendOf(session));
  }

  /** @param {View} view */
  nameOf(view) {
    return VIEWS.find(([name]) => name === view)?.[1] ?? "";
  }
}

/**
 * What the marks of the changes mean, with how many tokens each has.
 * @param {ReviewSession} session
 */
function legendOf(session) {
  const { added, gone } = changesOf(session);
  const { step, work } = session;
  if (step.set !== null && work.sets[step.set].previous === null)
    return [_("a new set: "), sample("added", _("{n} added", { n: sizeOf(added) }))];
  if (!added.length && !gone.length) return [_("unchanged since round {round}", { round: work.previous?.round ?? "" })];
  return [sample("added", _("{n} added", { n: sizeOf(added) })), sample("gone", _("{n} removed", { n: sizeOf(gone) }))];
}

/** @param {"added"|"gone"} kind @param {string} words */
const sample = (kind, words) => inline(`legend-${kind}`, words);

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
    this.word = new SavingLabel();
    this.ask = new ScorePrompt(actions);
    this.views = new Views(actions);
    this.sets = element("div", { class: "sets", role: "radiogroup", "aria-label": _("Sets to score") });
    this.sets.addEventListener("pointerleave", () => actions.hover(null));
    this.skip = button(_("Skip"), { key: "s", className: "skip", onclick: actions.skip });
    this.submit = button(_("Submit"), { key: "Ctrl+⏎", className: "primary", onclick: () => actions.submit() });
    this.ways = div("ways", this.skip, this.submit);
    this.main = div("row main-row", div("sets-group", this.sets), this.word.root, this.ways);
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
    if (this.drawn !== session.work.sets) {
      this.chips = work.sets.map((set, index) => this.#makeSetChip(set, index));
      this.sets.replaceChildren(...this.chips.map((chip) => chip.root), this.whole.root);
    }
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

  /** @param {Boxes} boxes */
  #makeWhole(boxes) {
    return pressable(
      "chip whole",
      {
        role: "radio",
        "aria-checked": "false",
        title: _("The whole: comprehensiveness score"),
        onclick: () => this.actions.choose(null),
        onpointerenter: () => this.actions.hover(null),
      },
      inline("whole-name", _("The whole")),
      boxes.root,
    );
  }

  /** @param {ReviewedSet} set @param {number} index */
  #makeSetChip(set, index) {
    const boxes = set.carried ? null : scoreBoxes(SET_SCORES);
    const passed = set.carried && inline("passed", icon("check"), inline("passed-word", _("passed")));
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
  return { made, root: inline("score-boxes", ...made.map(({ box }) => box)) };
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
