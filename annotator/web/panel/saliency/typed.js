/**
 * A text that one types: each pause asks the models of the maps on the screen. Nothing is stored until it is saved;
 * what is typed of each text stays here as long as the tab does.
 */
import { _ } from "../words/language.js";
import { button, element, setText } from "../shared/dom.js";
import { counted } from "../shared/spoken.js";
import { answerWords, countsOf, differencesOf, differenceWords } from "./differences.js";

/** What is typed is asked about when nothing was typed for so long. */
export const PAUSE_MS = 150;
/** A model that is asked for the first time is loaded, which can take a while. */
const SLOW_MS = 800;
const MOST_DIFFERENCES = 6;

/** @typedef {Record<string, string>} Texts  by segment */
/**
 * @typedef {Object} TypedActions
 * @property {(texts: Texts) => Promise<TypedAnswer|NoAnswer>} ask
 * @property {(answer: TypedAnswer|null) => void} show  beside the stored text; null: nothing
 * @property {(isStep?: boolean) => void} remember  something else is typed; isStep: the way back leads to before
 * @property {() => void} saveVersion
 * @property {() => void} saveCase
 */

export class TypedText {
  /**
   * @param {TypedActions} actions
   * @param {{mayWrite: boolean, hasLabels: boolean, memory: import("./typed_memory.js").TypedMemory}} given
   */
  constructor(actions, { mayWrite, hasLabels, memory }) {
    this.actions = actions;
    this.hasLabels = hasLabels;
    this.mayWrite = mayWrite;
    /** @type {HeatAnswer|null}  the stored text */
    this.view = null;
    this.texts = memory;
    /** @type {TypedAnswer|null}  what was said last of the text on the screen */
    this.answer = null;
    this.isOpen = false;
    this.isAsking = false;
    this.isStale = false;
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.timer = undefined;
    this.fields = element("div", { class: "typed-fields" });
    this.words = element("p", { class: "typed-words", role: "status" });
    this.lines = element("div", { class: "typed-lines" });
    this.version = button(_("Save as a changed version …"), { onclick: () => actions.saveVersion() });
    this.case = button(_("Save as a test case …"), { onclick: () => actions.saveCase() });
    this.root = element(
      "section",
      { class: "typed", hidden: true, "aria-label": _("Typed text") },
      this.fields,
      this.words,
      this.lines,
      element(
        "div",
        { class: "typed-acts" },
        button(_("Stored text"), {
          title: _("Begin with the stored text again"),
          className: "plain",
          onclick: () => this.#begin(),
        }),
        button(_("Empty"), { title: _("Begin with nothing"), className: "plain", onclick: () => this.#begin("") }),
        this.version,
        this.case,
        button(_("Close"), { key: "Esc", className: "plain", onclick: () => this.close(true) }),
      ),
    );
  }

  /** The text on the screen is another one, or its maps are. @param {HeatAnswer} view */
  follow(view) {
    const isSame = this.view?.instance.id === view.instance.id;
    this.view = view;
    this.version.hidden = !this.mayWrite || Boolean(view.instance.parent);
    this.case.hidden = !this.hasLabels;
    if (!this.isOpen) return;
    if (!isSame) this.#fill();
    this.#ask();
    this.actions.remember();
  }

  open() {
    if (!this.view) return;
    this.#show(!this.isOpen);
    this.fields.querySelector("textarea")?.focus();
  }

  /** @param {boolean} isStep */
  #show(isStep) {
    this.isOpen = true;
    this.root.hidden = false;
    this.#fill();
    this.actions.remember(isStep);
    this.#ask();
  }

  /**
   * What an address asks for of the text on the screen: its segments as they were typed, null: as this tab knows them.
   * @param {Texts|null} texts
   */
  restore(texts) {
    if (!this.view) return;
    const stored = storedOf(this.view);
    const known = Object.entries(texts ?? {}).filter(([name]) => name in stored);
    if (texts) this.texts.set(this.view.instance.id, { ...stored, ...Object.fromEntries(known) });
    this.#show(false);
  }

  /** The segments that are typed otherwise than they are stored; null while nothing is typed. */
  get changed() {
    if (!this.isOpen || !this.view) return null;
    const stored = storedOf(this.view);
    return Object.fromEntries(Object.entries(this.now).filter(([name, words]) => words !== stored[name]));
  }

  /** @param {boolean} [isStep]  somebody closed it, and the way back opens it again */
  close(isStep = false) {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.root.hidden = true;
    clearTimeout(this.timer);
    this.answer = null;
    this.actions.remember(isStep);
    this.actions.show(null);
  }

  /** What is typed now, of every segment. @returns {Texts} */
  get now() {
    return (this.view && this.texts.get(this.view.instance.id)) ?? storedOf(this.view);
  }

  #fill() {
    const { now } = this;
    const names = this.view?.segments ?? [];
    this.fields.replaceChildren(
      ...names.map(({ name }) => {
        const field = element("textarea", {
          class: "note",
          dir: "auto",
          lang: this.view?.instance.language,
          rows: 2,
          spellcheck: false,
          value: now[name],
          "aria-label": names.length > 1 ? _("Typed text, {name}", { name }) : _("Typed text"),
          oninput: () => this.#typed(name, field.value),
        });
        return field;
      }),
    );
  }

  /** @param {string} [words]  of all segments; without it those that are stored */
  #begin(words) {
    if (!this.view) return;
    const stored = storedOf(this.view);
    const texts = words === undefined ? stored : mapOf(stored, () => words);
    this.texts.set(this.view.instance.id, texts);
    this.#fill();
    this.#ask();
    this.fields.querySelector("textarea")?.focus();
  }

  /** @param {string} name @param {string} words */
  #typed(name, words) {
    if (!this.view) return;
    this.texts.set(this.view.instance.id, { ...this.now, [name]: words });
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#ask(), PAUSE_MS);
  }

  /** One question at a time; what was typed meanwhile is asked afterwards, and the late answer is dropped. */
  async #ask() {
    clearTimeout(this.timer);
    this.isStale = this.isAsking;
    if (this.isAsking || !this.isOpen || !this.view) return;
    this.isAsking = true;
    this.actions.remember();
    const { view, now } = this;
    const slow = setTimeout(() => setText(this.words, _("The models are being asked …")), SLOW_MS);
    const answer = await this.actions.ask(now);
    clearTimeout(slow);
    this.isAsking = false;
    if (!this.isOpen) return;
    if (this.isStale || view !== this.view || JSON.stringify(now) !== JSON.stringify(this.now)) this.#ask();
    else this.#answer(answer);
  }

  /** @param {TypedAnswer|NoAnswer} answer */
  #answer(answer) {
    if ("error" in answer) {
      setText(this.words, answer.error);
      return;
    }
    this.answer = answer;
    setText(this.words, answer.trouble);
    if (this.view) this.lines.replaceChildren(...linesOf(this.view, answer));
    this.actions.show(answer);
  }
}

/** The words of each segment as they are stored. @param {HeatAnswer|null} view @returns {Texts} */
function storedOf(view) {
  const textOf = (/** @type {CutSegment} */ { tokens, before, rest }) =>
    tokens.map((token, place) => before[place] + token).join("") + rest;
  return Object.fromEntries((view?.segments ?? []).map((segment) => [segment.name, textOf(segment)]));
}

/** @param {Texts} texts @param {() => string} words */
const mapOf = (texts, words) => Object.fromEntries(Object.keys(texts).map((name) => [name, words()]));

/** @param {HeatText} text */
const wordsOf = ({ segments }) => segments.filter((one) => one.is_selectable).flatMap(({ tokens }) => tokens);

/**
 * What has changed, a line for each model and each map.
 * @param {HeatAnswer} view
 * @param {TypedAnswer} answer
 */
function linesOf(view, answer) {
  const texts = { aligned: answer.aligned, own: wordsOf(view), typed: wordsOf(answer) };
  const { added, gone } = countsOf(texts);
  /** @type {Map<string, string>} */
  const answers = new Map();
  view.panels.forEach((panel, place) =>
    answers.set(panel.model, answerWords(panel.answer, answer.panels[place]?.answer ?? null)),
  );
  const changes = view.panels.flatMap((panel, place) => {
    const differences = answer.panels[place] && differencesOf(panel, answer.panels[place], texts);
    return differences ? [mapLine(panel, differences)] : [];
  });
  const said = [...answers].flatMap(([model, words]) =>
    words ? [element("b", {}, model), ` ${words}`, element("br")] : [],
  );
  return [
    line(...said, _("{added}, {gone} gone", { added: counted(added, "new token"), gone: counted(gone, "token") })),
    ...changes,
  ];
}

/**
 * @param {HeatPanel} panel
 * @param {import("./differences.js").TokenDifference[]} differences
 */
const mapLine = (panel, differences) =>
  line(
    element("b", {}, `${panel.model} · ${panel.method}`),
    differences.length ? _(", where both have the token: ") : _(": every token that both have has the same score"),
    ...differences
      .slice(0, MOST_DIFFERENCES)
      .map((one) =>
        element("span", { class: "typed-change" }, element("bdi", {}, `“${one.word}”`), ` ${differenceWords(one)}`),
      ),
  );

/** @param {...(string|Node)} children */
const line = (...children) => element("p", {}, ...children);
