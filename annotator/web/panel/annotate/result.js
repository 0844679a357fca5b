/**
 * The place of the result in the bar: the one that is given, a choice of labels, or an answer. It is built once for
 * each text.
 */
import { div, element, focused, inline, keyCap, option, press, pressable, toggle } from "../shared/dom.js";
import { labelWords, spokenLabel } from "../shared/naming.js";
import { _ } from "../words/language.js";

// ---- The answer: a field to type it, a button that takes it from the text, and one that says that there is none

class AnswerField {
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
    this.pick = toggle(_("Select"), "0", _("Select the answer in the text"), () => actions.look("answer"));
    this.none = pressable(
      "pill",
      { title: _("The text holds no answer (i)"), "aria-keyshortcuts": "i", onclick: () => actions.noAnswer() },
      _("No answer"),
      keyCap("i"),
    );
    this.nodes = [div("answer-ways", this.input, this.pick, this.none)];
  }

  /** @param {Session} given0 @param {{readOnly: boolean, isPicking: boolean}} given1 */
  update({ result }, { readOnly, isPicking }) {
    this.result = result;
    for (const part of [this.input, this.pick, this.none]) part.disabled = readOnly;
    press(this.none, result === "");
    press(this.pick, isPicking);
    this.input.classList.toggle("picking", isPicking);
    const unanswered = this.given ? _("as given: {answer}", { answer: this.given }) : _("type or select it");
    this.input.placeholder = this.result === "" ? _("no answer") : unanswered;
    // What is typed stands there already; anything else (undo, words of the text) comes from elsewhere.
    if (focused() !== this.input) this.#write();
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

const MANY_LABELS = 6;
/**
 * Of a letter, of a pill beside its words, of what stands beside the labels in their row, and of the narrowest row that
 * holds both.
 */
const LETTER_PIXELS = 7.5;
const PILL_PIXELS = 36;
const OTHERS_PIXELS = 400;
const LEAST_WIDTH = 560;
/** So much of several lines is filled, since a label is never broken. */
const FILLED = 0.8;

/** @typedef {import("./screen.js").Showing} Showing */
/** @typedef {import("./screen.js").Room} Room */
/** @typedef {{readOnly: boolean, isPicking: boolean}} How */
/**
 * What shows the result, or lets one give it.
 * @typedef {{nodes: HTMLElement[], update: (session: Session, how: How) => void}} ResultPart
 */

export class ResultPlace {
  /** @param {WorkActions} actions */
  constructor(actions) {
    this.actions = actions;
    this.root = div("result");
    this.differs = element(
      "span",
      {
        class: "differs",
        hidden: true,
        "aria-live": "polite",
        title: _("Not as given: the lead decides which stays."),
      },
      _("the lead decides"),
    );
    /** @type {ResultPart|null} */
    this.part = null;
    /** @type {unknown[]}  what the part was made for */
    this.from = [];
    this.key = "";
  }

  /** The field for the answer, where there is one. @returns {AnswerField|null} */
  get answer() {
    return this.part instanceof AnswerField ? this.part : null;
  }

  /** @param {import("../shared/session.js").Session} session @param {Showing} how */
  update(session, { readOnly, readMode, looks, room }) {
    const { project } = session;
    const fixed = !project || project.result_mode === "confirm" || readMode;
    // It is looked at at each mark: what it depends on is compared by identity.
    const from = [session, session.work, project, room, fixed ? session.result : null];
    if (!this.from.length || from.some((one, at) => one !== this.from[at])) {
      this.from = from;
      this.#build(session, fixed, room);
    }
    this.part?.update(session, { readOnly, isPicking: looks.answer });
    const given = session.work.result?.given ?? null;
    this.differs.hidden =
      fixed || project.result_mode !== "contest" || [null, given].includes(session.result) || given === null;
  }

  /** @param {Session} session @param {boolean} fixed @param {Room} room */
  #build(session, fixed, room) {
    const { project, work } = session;
    const kind = project?.result_kind || work.result?.kind || "label";
    const given = work.result?.given ?? null;
    const inList = kind === "label" && !fixed && !haveRoom(session, room);
    const key = JSON.stringify([
      session.id,
      kind,
      fixed,
      fixed ? session.result : given,
      project?.result_mode,
      project?.labels,
      inList,
    ]);
    if (key === this.key) return;
    this.key = key;
    this.part = this.#make(session, { kind, fixed, given, inList });
    const title = kind === "answer" ? _("Answer") : _("Label");
    this.root.replaceChildren(...(this.part ? [inline("result-title", title), ...this.part.nodes, this.differs] : []));
  }

  /**
   * @param {Session} session
   * @param {{kind: "label"|"answer", fixed: boolean, given: string|null, inList: boolean}} given
   */
  #make(session, { kind, fixed, given, inList }) {
    if (fixed) return session.result === null ? null : new Fixed(session.result, session);
    if (kind === "answer") return new AnswerField(this.actions, given);
    return inList ? new LabelList(session, given, this.actions) : new LabelPills(session, given, this.actions);
  }
}

/**
 * Whether the labels can stand side by side, each with one press: not where they are many, and not where the bar is to
 * be low and some would be out of sight. Widths are about those of the letters, so that nothing has to be laid out to
 * know it.
 * @param {Session} given0
 * @param {Room} given1
 */
function haveRoom({ project, work }, { width, lines }) {
  const labels = project?.labels ?? [];
  if (labels.length > MANY_LABELS) return false;
  if (lines === Infinity) return true;
  const all = labels.reduce((sum, label) => sum + PILL_PIXELS + widthOf(labelWords(label, work.instance)), 0);
  return all <= (Math.max(width, LEAST_WIDTH) - OTHERS_PIXELS) * lines * FILLED;
}

/** @param {string} words */
const widthOf = (words) => [...words].reduce((sum, letter) => sum + (letter > "\u2e80" ? 2 : 1) * LETTER_PIXELS, 0);

class Fixed {
  /** @param {string} result @param {Session} given */
  constructor(result, { work }) {
    this.nodes = [
      inline("given", result === "" ? _("no answer") : element("bdi", {}, labelWords(result, work.instance))),
    ];
  }

  update() {}
}

/** @param {Session} given */
const keyOf = ({ project }) => (project?.result_mode === "labels_only" ? [] : [keyCap("l")]);

class LabelPills {
  /** @param {Session} session @param {string|null} given @param {WorkActions} actions */
  constructor(session, given, actions) {
    const { project, work } = session;
    const labelsOnly = project?.result_mode === "labels_only";
    this.labels = project?.labels ?? [];
    this.pills = this.labels.map((label, index) => {
      const words = labelWords(label, work.instance);
      const isGiven = given !== null && label === given;
      return pressable(
        "pill",
        {
          role: "radio",
          title: isGiven ? _("{label} – as given", { label: words }) : words,
          "aria-label": words === label ? null : spokenLabel(label, work.instance),
          onclick: () => actions.result(label),
        },
        labelsOnly && index < 9 && keyCap(String(index + 1)),
        element("bdi", { class: "pill-words" }, words),
        isGiven && inline("was", _("given")),
      );
    });
    this.nodes = [
      ...keyOf(session),
      element("div", { class: "pills", role: "radiogroup", "aria-label": _("Label") }, ...this.pills),
    ];
  }

  /** @param {Session} given0 @param {{readOnly: boolean}} given1 */
  update({ result }, { readOnly }) {
    const chosen = result === null ? -1 : this.labels.indexOf(result);
    this.pills.forEach((pill, index) => {
      pill.setAttribute("aria-checked", String(index === chosen));
      pill.tabIndex = index === Math.max(0, chosen) ? 0 : -1;
      pill.disabled = readOnly;
    });
  }
}

class LabelList {
  /** @param {Session} session @param {string|null} given @param {WorkActions} actions */
  constructor(session, given, actions) {
    const { project, work } = session;
    /** @param {string} label */
    const words = (label) => {
      const name = labelWords(label, work.instance);
      return given !== null && label === given ? _("{label} – as given", { label: name }) : name;
    };
    this.list = element(
      "select",
      { class: "labels", "aria-label": _("Label"), onchange: () => actions.result(this.list.value) },
      element("option", { value: "", disabled: true }, _("Choose a label")),
      ...(project?.labels ?? []).map((label) => option(label, words(label))),
    );
    this.nodes = [...keyOf(session), this.list];
  }

  /** @param {Session} given0 @param {{readOnly: boolean}} given1 */
  update({ result }, { readOnly }) {
    this.list.value = result ?? "";
    this.list.disabled = readOnly;
  }
}
