/** Suggestions for the kind: why, and what the text would be there. Nothing is applied that was not shown as it is. */
import { _ } from "../words/language.js";
import { button, element, parts, setText, treeOf } from "../shared/dom.js";
import { sentenceOf } from "../shared/messages.js";

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
    this.body = element("div", { class: "suggest-body" });
    this.root = element(
      "section",
      { class: "suggestions", "aria-label": _("Suggestions") },
      element("h3", {}, _("Suggestions "), this.more),
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
      setText(this.words, _("There are no suggestions of this kind for this text. Write your own change."));
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
    return element(
      "button",
      {
        type: "button",
        class: "suggestion",
        title: _("Put this change into the text (Enter)"),
        onclick: () => this.#apply(segment, text, edits),
      },
      element("span", { class: "suggestion-why", dir: "auto" }, why),
      element("span", { class: "suggestion-text", dir: this.direction }, ...preview(text, edits)),
    );
  }

  /** @param {string} segment @param {string} text @param {Edit[]} edits */
  #apply(segment, text, edits) {
    if (this.actions.typed(segment) === text) return this.actions.apply(segment, edits);
    setText(this.words, _("The text has changed in the meantime. These are the suggestions for it as it is now."));
    return this.load();
  }

  /**
   * Goes to the list, or through it.
   * @param {number} by
   */
  step(by) {
    const rows = parts(this.body, ".suggestion", HTMLElement);
    const at = rows.findIndex((row) => row === treeOf(this.root).activeElement);
    rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))]?.focus();
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
