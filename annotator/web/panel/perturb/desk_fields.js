/**
 * What is said of a changed version at its desk: the kind, which is chosen first, the result, and suggestions for the
 * kind.
 */
import {
  button,
  div,
  element,
  focusBeside,
  inline,
  keyCap,
  moveRadio,
  option,
  parts,
  pressable,
  setText,
  treeOf,
} from "../shared/dom.js";
import { sentenceOf } from "../shared/messages.js";
import { _, together } from "../words/language.js";

/** @type {[name: Kind["family"], title: string][]} */
const FAMILIES = [
  ["benchmark", _("Benchmark")],
  ["contrast", _("Contrast sets")],
  ["functional", _("Functional tests")],
  ["own", _("Of this project")],
];
/** @param {Kind} kind */
const keepsWords = ({ keeps_label: keeps }) =>
  keeps === null
    ? _("The result may stay or change.")
    : keeps
      ? _("The result usually stays.")
      : _("The result usually changes.");

// ---- The kind: as a list with descriptions, then as a field

export class KindField {
  /** @param {Kind[]} kinds @param {() => void} onchange */
  constructor(kinds, onchange) {
    this.value = "";
    this.kinds = kinds;
    this.onchange = onchange;
    this.byName = new Map(kinds.map((kind) => [kind.name, kind]));
    this.field = element(
      "select",
      { class: "kind-field", "aria-label": _("Perturbation type"), onchange: () => this.#chosen(this.field.value) },
      option("", _("Type …")),
      ...this.#families(
        (kind) => option(kind.name, kind.title),
        (title, rows) => element("optgroup", { label: title }, ...rows),
      ),
    );
    this.words = inline("kind-words");
    this.root = element("label", { class: "kind" }, inline("result-title", _("Type")), this.field);
    this.list = element(
      "section",
      { class: "kind-list", "aria-label": _("Types") },
      element("h3", { class: "pair-head" }, _("Perturbation type")),
      ...this.#families(
        (kind) => this.#row(kind),
        (title, rows) => div("kind-family", element("h4", {}, title), ...rows),
      ),
    );
  }

  /** @param {(kind: Kind) => HTMLElement} rowOf @param {(title: string, rows: HTMLElement[]) => HTMLElement} groupOf */
  #families(rowOf, groupOf) {
    return FAMILIES.map(([name, title]) => ({ title, kinds: this.kinds.filter((kind) => kind.family === name) }))
      .filter(({ kinds }) => kinds.length)
      .map(({ title, kinds }) => groupOf(title, kinds.map(rowOf)));
  }

  /** @param {Kind} kind */
  #row(kind) {
    return pressable(
      "kind-row",
      {
        "data-kind": kind.name,
        title: together(kind.description, keepsWords(kind)),
        onclick: () => this.#chosen(kind.name),
      },
      element("b", {}, kind.title),
      element("span", {}, this.wordsOf(kind.name)),
    );
  }

  /** @param {string} name */
  #chosen(name) {
    if (!name && this.value) this.field.value = this.value;
    else if (name !== this.value) {
      this.show(name);
      this.onchange();
    }
  }

  /** @param {string} name */
  show(name) {
    this.value = this.byName.has(name) ? name : "";
    this.field.value = this.value;
    const kind = this.byName.get(this.value);
    setText(this.words, this.wordsOf(this.value));
    this.words.title = kind?.description || "";
  }

  /**
   * What a kind means, in a sentence.
   * @param {string} name
   */
  wordsOf(name) {
    const kind = this.byName.get(name);
    // Where it comes from stands in brackets at the end of its description; that is told on pointing.
    return kind ? together(kind.description.replace(/ ?[(（][^()（）]*[)）]$/, ""), keepsWords(kind)) : "";
  }

  /** @param {string} name */
  titleOf(name) {
    return this.byName.get(name)?.title || name;
  }

  /**
   * Goes through the list while no kind is chosen.
   * @param {number} by
   */
  step(by) {
    focusBeside(parts(this.list, ".kind-row", HTMLElement), by);
  }
}

// ---- The result: buttons for labels, or a field for an answer

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
      "aria-label": _("Answer to the perturbed text"),
      dir: "auto",
      oninput: () => this.#said(this.field.value.trim() ? this.field.value : null),
    });
    this.none = pressable(
      "pill",
      {
        "aria-pressed": "false",
        title: _("The perturbed text has no answer"),
        onclick: () => this.choose(this.value === "" ? null : ""),
      },
      _("no answer"),
    );
    this.same = pressable("button plain", { onclick: () => this.choose(this.original) }, _("as in the original"));
    const pills = { class: "pills", role: "radiogroup", "aria-label": _("Label of the perturbed version") };
    this.root = div(
      "result",
      inline("result-title", this.isAnswer ? _("Answer") : _("Label")),
      this.isAnswer ? inline("answer-ways", this.field, this.same, this.none) : element("div", pills, ...this.pills),
    );
  }

  #pills() {
    return this.labels.map((label, place) =>
      pressable(
        "pill",
        {
          role: "radio",
          "aria-checked": "false",
          title: place < 9 ? `${label} (${place + 1})` : label,
          onclick: () => this.choose(label),
          onkeydown: (event) => this.#arrow(event),
        },
        label,
        place < 9 && keyCap(String(place + 1)),
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

// ---- Suggestions: why, and what the text would be; nothing is applied that was not shown as it is

const AROUND = 36;
const LONGEST = 160;

/** @typedef {Promise<Answer<PerturbRoutes["suggest"]>>} Suggested */
/**
 * @typedef {Object} SuggestActions
 * @property {(segment: string, text: string, kind: string, seed: number) => Suggested} ask
 * @property {(segment: string) => string} typed  the text of a segment as it is now
 * @property {(segment: string, edits: Edit[]) => void} apply
 * @property {(segment: string) => string} titleOf
 */

export class Suggestions {
  /** @param {SuggestActions} actions */
  constructor(actions) {
    this.actions = actions;
    this.seed = 0;
    this.kind = "";
    /** @type {string[]} */
    this.segments = [];
    /** @type {Direction} */
    this.direction = "ltr";
    /** The newest question to the server. */
    this.asked = 0;
    /** @type {Map<string, {text: string, rows: Suggestion[]}>}  by segment: the text that they are for */
    this.groups = new Map();
    this.more = button(_("More"), {
      key: "+",
      title: _("Other suggestions"),
      className: "plain",
      onclick: () => this.next(),
    });
    this.words = element("p", { class: "suggest-words", role: "status" });
    this.body = div("suggest-body");
    this.root = element(
      "section",
      { class: "suggestions", "aria-label": _("Suggestions") },
      element("h3", {}, `${_("Suggestions")} `, this.more),
      this.words,
      this.body,
    );
  }

  /**
   * @param {string[]} segments  in which something may be suggested
   * @param {string} kind
   * @param {Direction} direction
   */
  show(kind, segments, direction) {
    this.kind = kind;
    this.segments = segments;
    this.direction = direction;
    this.seed = 0;
    this.groups.clear();
    this.load();
  }

  clear() {
    this.asked += 1;
    this.kind = "";
    this.groups.clear();
    this.body.replaceChildren();
    setText(this.words, "");
  }

  next() {
    this.seed += 1;
    return this.load();
  }

  /** Asks for all segments anew; an older answer that comes later counts for nothing. */
  async load() {
    if (!this.kind) return;
    const asked = (this.asked += 1);
    const texts = this.segments.map((segment) => this.actions.typed(segment));
    const answers = await Promise.all(
      this.segments.map((segment, place) => this.actions.ask(segment, texts[place], this.kind, this.seed)),
    );
    if (this.asked !== asked) return;
    const refused = answers.find((answer) => answer.status !== 200);
    setText(this.words, refused ? sentenceOf(refused) : "");
    this.segments.forEach((segment, place) => {
      const answer = answers[place];
      this.groups.set(segment, { text: texts[place], rows: answer.status === 200 ? answer.body.suggestions : [] });
    });
    this.#draw();
  }

  /** The text may be another one since: then what is shown is asked for again. */
  follow() {
    const isOld = [...this.groups].some(([segment, { text }]) => text !== this.actions.typed(segment));
    if (isOld) this.load();
  }

  #draw() {
    const held = this.root.contains(treeOf(this.root).activeElement);
    const shown = this.segments.flatMap((segment) => this.#group(segment));
    this.body.replaceChildren(...shown);
    if (!shown.length && !this.words.textContent)
      setText(this.words, _("No suggestions of this type. Write your own."));
    if (held) (this.body.querySelector("button") ?? this.more).focus();
  }

  /** @param {string} segment */
  #group(segment) {
    const group = this.groups.get(segment);
    if (!group?.rows.length) return [];
    const rows = group.rows.map((row) => this.#row(segment, group.text, row));
    return this.segments.length > 1 ? [element("h4", {}, this.actions.titleOf(segment)), ...rows] : rows;
  }

  /** @param {string} segment @param {string} text @param {Suggestion} given */
  #row(segment, text, { why, edits }) {
    return pressable(
      "suggestion",
      { title: _("Apply this change to the text (Enter)"), onclick: () => this.#apply(segment, text, edits) },
      element("span", { class: "suggestion-why", dir: "auto" }, why),
      element("span", { class: "suggestion-text", dir: this.direction }, ...preview(text, edits)),
    );
  }

  /** @param {string} segment @param {string} text @param {Edit[]} edits */
  #apply(segment, text, edits) {
    if (this.actions.typed(segment) === text) return this.actions.apply(segment, edits);
    setText(this.words, _("The text changed; these suggestions fit it now."));
    return this.load();
  }

  /**
   * Goes to the list, or through it.
   * @param {number} by
   */
  step(by) {
    focusBeside(parts(this.body, ".suggestion", HTMLElement), by);
  }
}

/**
 * The words around the edits, with what goes and what comes.
 * @param {string} text
 * @param {Edit[]} edits
 */
function preview(text, edits) {
  const sorted = [...edits].sort((a, b) => a[0] - b[0]);
  let at = wordBefore(text, sorted[0][0]);
  const last = wordAfter(text, sorted[sorted.length - 1][1]);
  /** @type {Child[]} */
  const nodes = [at > 0 && "… "];
  for (const [start, end, replacement] of sorted) {
    nodes.push(
      shortened(text.slice(at, start)),
      start < end && element("del", {}, shortened(text.slice(start, end))),
      replacement && element("ins", {}, shortened(replacement)),
    );
    at = end;
  }
  return [...nodes, text.slice(at, last), last < text.length && " …"];
}

/**
 * Some signs before a place, from the beginning of a word if there is one.
 * @param {string} text
 * @param {number} place
 */
function wordBefore(text, place) {
  const from = Math.max(0, place - AROUND);
  const blank = from === 0 ? -1 : text.slice(from, place).search(/\s/);
  return blank < 0 ? from : from + blank + 1;
}

/** @param {string} text @param {number} place */
function wordAfter(text, place) {
  const to = Math.min(text.length, place + AROUND);
  const blank = to === text.length ? -1 : text.slice(place, to).search(/\s\S*$/);
  return blank < 0 ? to : place + blank;
}

/** @param {string} words */
const shortened = (words) =>
  words.length > LONGEST ? `${words.slice(0, LONGEST / 2)} … ${words.slice(-LONGEST / 2)}` : words;
