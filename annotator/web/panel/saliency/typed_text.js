/**
 * A text that one types: each pause asks the models of the maps on the screen. Nothing is stored until it is saved, as
 * a changed version or as a test; what is typed of each text stays here as long as the tab does.
 */
import { safeStorage, storeValue, storedValue } from "../shared/browser_storage.js";
import { openDialog, sendOnEnter } from "../shared/dialogs.js";
import { button, div, element, inline, paragraph, parts, setText } from "../shared/dom.js";
import { Messages, sentenceOf } from "../shared/messages.js";
import { counted } from "../shared/naming.js";
import { _ } from "../words/language.js";
import { signed } from "./map_numbers.js";
import { markableWords } from "./shown_sets.js";

// ---- What changes from the stored text: the answer, and the score of each token that both have

/** @typedef {{word: string, before: number, after: number}} TokenDifference */

/**
 * How a model's answer changes: the probability of the label that it gives the stored text.
 * @param {HeatPanel["answer"]} before
 * @param {HeatPanel["answer"]} after
 * @returns {string}  "" where one of them is not known
 */
export function answerWords(before, after) {
  if (!before || !after) return "";
  const [p, q] = [before.probabilities[before.label], after.probabilities[before.label]];
  if (p === undefined || q === undefined) return `${before.label} → ${after.label}`;
  const points = Math.round(100 * q) - Math.round(100 * p);
  const size = `${points > 0 ? "+" : "−"}${Math.abs(points)}`;
  const values = {
    label: before.label,
    before: Math.round(100 * p),
    after: Math.round(100 * q),
    change: points === 0 ? _("no change") : _("{change} points", { change: size }),
  };
  if (after.label === before.label) return _("{label} {before} % → {after} % ({change})", values);
  return _("{label} {before} % → {after} % ({change}), now {other}", { ...values, other: after.label });
}

/**
 * The tokens that stand in both texts, in the same place and with the same characters, whose scores there differ; the
 * largest change first.
 * @param {Pick<HeatPanel, "scores"|"label">} before
 * @param {Pick<HeatPanel, "scores"|"label">} after
 * @param {{aligned: (number|null)[], own: string[], typed: string[]}} texts  the tokens of both, that can be marked
 * @returns {TokenDifference[]|null}  null where the maps cannot be compared: without scores, or of two labels
 */
export function differencesOf(before, after, { aligned, own, typed }) {
  if (!before.scores || !after.scores || before.label !== after.label) return null;
  return aligned
    .flatMap((place, token) => {
      const [from, to] = [place === null ? null : (before.scores?.[place] ?? null), after.scores?.[token] ?? null];
      if (place === null || from === null || to === null || own[place] !== typed[token]) return [];
      return from === to ? [] : [{ word: typed[token], before: from, after: to }];
    })
    .sort((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before));
}

/**
 * How many tokens of the typed text are new, and how many of the stored one are gone.
 * @param {{aligned: (number|null)[], own: string[], typed: string[]}} texts
 */
export function countsOf({ aligned, own, typed }) {
  const kept = aligned.filter((place, token) => place !== null && own[place] === typed[token]).length;
  return { added: typed.length - kept, gone: own.length - kept };
}

/** @param {TokenDifference} difference */
export const differenceWords = ({ before, after }) =>
  `${signed(before)} → ${signed(after)} (${signed(after - before)})`;

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
   * @param {{mayWrite: boolean, hasLabels: boolean, memory: TypedMemory}} given
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
    this.fields = div("typed-fields");
    this.words = element("p", { class: "typed-words", role: "status" });
    this.lines = div("typed-lines");
    this.version = button(_("Save as a perturbed version"), { onclick: () => actions.saveVersion() });
    this.case = button(_("Save as a test case"), { onclick: () => actions.saveCase() });
    this.root = element(
      "section",
      { class: "typed", hidden: true, "aria-label": _("Typed text") },
      this.fields,
      this.words,
      this.lines,
      div(
        "typed-acts",
        button(_("Stored text"), {
          title: _("Restore the stored text"),
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
    const texts = words === undefined ? stored : Object.fromEntries(Object.keys(stored).map((name) => [name, words]));
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
    const slow = setTimeout(() => setText(this.words, _("Running the models …")), SLOW_MS);
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

/**
 * What has changed, a line for each model and each map.
 * @param {HeatAnswer} view
 * @param {TypedAnswer} answer
 */
function linesOf(view, answer) {
  const texts = { aligned: answer.aligned, own: markableWords(view), typed: markableWords(answer) };
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
 * @param {TokenDifference[]} differences
 */
const mapLine = (panel, differences) =>
  line(
    element("b", {}, `${panel.model} · ${panel.method}`),
    differences.length ? _(", where both have the token: ") : _(": all shared tokens have the same score"),
    ...differences
      .slice(0, MOST_DIFFERENCES)
      .map((one) => inline("typed-change", element("bdi", {}, `“${one.word}”`), ` ${differenceWords(one)}`)),
  );

/** @param {...(string|Node)} children */
const line = (...children) => element("p", {}, ...children);

// ---- What is typed of each text, kept in this tab: it is there when the page is loaded again

export class TypedMemory {
  /**
   * @param {number|null} user  somebody else who signs in at this tab does not find it
   * @param {number} project
   */
  constructor(user, project, storage = safeStorage("sessionStorage")) {
    this.name = `annotator:typed:${user ?? ""}:${project}`;
    this.storage = storage;
    /** @type {Map<number, Texts>} */
    this.texts = new Map(this.#read());
  }

  /** @param {number} instance */
  get(instance) {
    return this.texts.get(instance);
  }

  /** @param {number} instance @param {Texts} texts */
  set(instance, texts) {
    this.texts.set(instance, texts);
    storeValue(this.name, [...this.texts], this.storage);
  }

  /** @returns {[number, Texts][]} */
  #read() {
    const stored = storedValue(this.name, this.storage);
    return Array.isArray(stored) ? stored.filter((entry) => Array.isArray(entry) && typeof entry[1] === "object") : [];
  }
}

// ---- What saves it: as a changed version that waits for its checkers, or as a test with one case

/** As they are stored, and as they are shown. @type {[string, string][]} */
const CAPABILITIES = [
  ["Vocabulary", _("Vocabulary")],
  ["Robustness", _("Robustness")],
  ["Logic", _("Logic")],
  ["Entity", _("Entity")],
];
const SAME = "";

/** @typedef {{instance: HeatAnswer["instance"], texts: Texts}} Typed  what is typed, and what it was made from */
/** @typedef {(body: object) => Promise<string>} Send  answers why it could not be saved; "" where it is saved */

/**
 * @param {HTMLElement} root
 * @param {Typed} typed
 * @param {{kinds: {name: string, title: string}[], labels: string[], send: Send}} given
 */
function openVersionDialog(root, { instance, texts }, { kinds, labels, send }) {
  const kind = select(
    _("Perturbation type"),
    kinds.map(({ name, title }) => [name, title]),
  );
  const label = select(
    _("Label of the perturbed version"),
    labels.map((one) => [one, one]),
    instance.result ?? "",
  );
  const note = element("input", { type: "text", maxLength: 500, "aria-label": _("Note for the checkers") });
  return openSaving(root, {
    title: _("Save as a perturbed version"),
    words: _("Joins the project's texts once approved."),
    rows: [row(_("Type"), kind), ...(labels.length ? [row(_("Label"), label)] : []), row(_("Note"), note)],
    saved: _("Submitted. Others will check it."),
    send: () =>
      send({
        instance: instance.id,
        changed: { kind: kind.value, texts, result: labels.length ? label.value : instance.result, note: note.value },
        keeps_draft: true,
      }),
  });
}

/**
 * @param {HTMLElement} root
 * @param {Typed} typed
 * @param {{labels: string[], send: Send}} given
 */
function openCaseDialog(root, { instance, texts }, { labels, send }) {
  const suite = element("input", { type: "text", maxLength: 200, value: _("Typed texts"), "aria-label": _("Suite") });
  const test = element("input", {
    type: "text",
    maxLength: 200,
    value: _("{key}, changed", { key: instance.key.slice(0, 150) }),
    "aria-label": _("Test name"),
  });
  const expected = select(_("What is expected"), [
    ...labels.map((one) => /** @type {[string, string]} */ ([one, _("the label “{label}”", { label: one })])),
    [SAME, _("same prediction as for the stored text")],
  ]);
  const category = select(_("Capability"), CAPABILITIES);
  if (instance.result && labels.includes(instance.result)) expected.value = instance.result;
  return openSaving(root, {
    title: _("Save as a test case"),
    words: _("Saved. Run it under Tests."),
    rows: [row(_("Suite"), suite), row(_("Test"), test), row(_("Expected"), expected), row(_("Capability"), category)],
    saved: _("Saved. Run it under Tests."),
    send: () =>
      send({
        instance: instance.id,
        texts,
        suite: suite.value,
        test: test.value,
        category: category.value,
        label: expected.value === SAME ? null : expected.value,
      }),
  });
}

/**
 * @param {HTMLElement} root
 * @param {{title: string, words: string, rows: HTMLElement[], saved: string, send: () => Promise<string>}} given
 */
function openSaving(root, { title, words, rows, saved, send }) {
  const said = element("p", { class: "list-said", role: "alert" });
  const save = button(_("Save"), {
    key: "⏎",
    className: "primary",
    onclick: async () => {
      save.disabled = true;
      const refusal = await send();
      save.disabled = !refusal;
      said.classList.toggle("refused", Boolean(refusal));
      setText(said, refusal || saved);
    },
  });
  const form = div("saved-form", paragraph("dialog-words", words), ...rows);
  form.append(div("dialog-foot", said, save));
  sendOnEnter(form, () => save.click());
  const dialog = openDialog(root, title, form);
  parts(form, "select, input", HTMLElement)[0]?.focus();
  return dialog;
}

/**
 * @param {string} name
 * @param {[string, string][]} options
 */
function select(name, options, chosen = options[0]?.[0] ?? "") {
  const made = element(
    "select",
    { "aria-label": name },
    ...options.map(([value, words]) => element("option", { value, selected: value === chosen }, words)),
  );
  return made;
}

/** @param {string} words @param {HTMLElement} field */
const row = (words, field) =>
  element("label", { class: "typed-row" }, element("span", { "aria-hidden": "true" }, words), field);

/** What is typed is sent where it is stored: by Perturb's own route, or by that of the suites. */
export class TypedSaving {
  /**
   * @param {SaliencyData} data
   * @param {() => {root: HTMLElement, view: HeatAnswer|null, texts: Texts}} shown
   */
  constructor(data, shown) {
    this.data = data;
    this.shown = shown;
    /** @type {Messages<SaliencyRoutes>} */
    this.messages = new Messages(data.routes, data.csrf);
    /** @type {Messages<PerturbRoutes>} */
    this.perturb = new Messages(data.routes.replace(/saliency$/, "perturb"), data.csrf);
  }

  async openVersion() {
    const { root, view, texts } = this.shown();
    const rules = await this.perturb.get("rules", { project: this.data.project });
    if (!view) return;
    if (rules.status !== 200) openDialog(root, _("Save as a perturbed version"), sentenceOf(rules));
    else
      openVersionDialog(
        root,
        { instance: view.instance, texts },
        {
          kinds: rules.body.kinds,
          labels: rules.body.result_kind === "label" ? rules.body.labels : [],
          send: async (body) => refusalOf(await this.perturb.post("hand-in", body)),
        },
      );
  }

  openCase() {
    const { root, view, texts } = this.shown();
    if (!view) return;
    openCaseDialog(
      root,
      { instance: view.instance, texts },
      { labels: this.data.labels, send: async (body) => refusalOf(await this.messages.post("case", body)) },
    );
  }
}

/** @param {Answer<object, object>} answer */
const refusalOf = (answer) => (answer.status === 200 ? "" : sentenceOf(answer));
