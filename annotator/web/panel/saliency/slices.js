/**
 * Which texts are listed: slices by label, split, length, metadata, and what the file says of annotators, each with
 * its count; and what models predict of them.
 */
import { button, element, option, paragraph, parts, setText } from "../shared/dom.js";
import { _, dotted } from "../words/language.js";

/** @typedef {{value: string|null, n: number}} Count */
/** The names of an address, in the order of the menus. */
export const NAMES = ["label", "unlabelled", "split", "length", "fact", "value", "group", "member"];
/** @typedef {Record<string, string>} Chosen  what is chosen, by the names of an address */
const UNLABELLED = "\u0000";

/**
 * @typedef {Object} SlicesActions
 * @property {(query: Query) => Promise<SaliencyRoutes["slices"]|NoAnswer>} ask
 * @property {() => Promise<SaliencyRoutes["slice_names"]|NoAnswer>} askNames
 * @property {() => unknown} changed  another slice is chosen
 * @property {() => Query} listed  what the list asks for, slices included
 */

export class Slices {
  /** @param {SlicesActions} actions */
  constructor(actions) {
    this.actions = actions;
    /** @type {Chosen} */
    this.chosen = {};
    /** @type {SaliencyRoutes["slice_names"]|null}  what metadata and annotators can be sliced by; asked for once */
    this.names = null;
    /** Whether the focus goes to the first menu when it is there. */
    this.isFocusWanted = false;
    /** The newest question to the server. */
    this.asking = 0;
    this.label = this.#menu(_("Label"), (value) => ({
      label: value === UNLABELLED ? "" : value,
      unlabelled: value === UNLABELLED ? "yes" : "",
    }));
    this.split = this.#menu(_("Split"), (split) => ({ split }));
    this.length = this.#menu(_("Length in tokens"), (length) => ({ length }));
    this.fact = this.#menu(_("Metadata"), (fact) => ({ fact, value: "" }));
    this.value = this.#menu(_("Value in the metadata"), (value) => ({ value }));
    this.group = this.#menu(_("About annotators"), (group) => ({ group, member: "" }));
    this.member = this.#menu(_("Value of annotators"), (member) => ({ member }));
    this.note = paragraph("slices-note");
    this.all = button(_("All of them"), {
      title: _("Choose no slice"),
      className: "plain",
      onclick: () => (this.#choose(Object.fromEntries(NAMES.map((name) => [name, ""]))), this.label.focus()),
    });
    this.summary = element("summary", {}, _("Slices"));
    this.root = element("details", { class: "slices", ontoggle: () => this.root.open && this.refresh() }, this.summary);
    this.root.append(this.label, this.split, this.length, this.fact, this.value, this.group, this.member);
    this.root.append(this.note, this.all);
  }

  /**
   * @param {string} name
   * @param {(value: string) => Chosen} meaning
   */
  #menu(name, meaning) {
    const select = element("select", { "aria-label": name, hidden: true });
    select.addEventListener("change", () => this.#choose(meaning(select.value)));
    return select;
  }

  /** @param {Chosen} changes */
  #choose(changes) {
    const before = JSON.stringify(this.query);
    this.chosen = { ...this.chosen, ...changes };
    this.#say();
    if (JSON.stringify(this.query) === before) return this.refresh();
    return this.actions.changed();
  }

  /** What the list is asked for; a name without a value chooses nothing. @returns {Chosen} */
  get query() {
    const { fact, value, group, member, ...others } = this.chosen;
    const pairs = { ...(value ? { fact, value } : {}), ...(member ? { group, member } : {}) };
    return Object.fromEntries(Object.entries({ ...others, ...pairs }).filter(([, text]) => text));
  }

  /** @param {URLSearchParams} asked */
  restore(asked) {
    this.chosen = Object.fromEntries(NAMES.map((name) => [name, asked.get(name) ?? ""]));
    this.root.open = Object.keys(this.query).length > 0;
    this.#say();
  }

  /** Opens the menus for the keyboard. */
  open() {
    this.isFocusWanted = true;
    this.summary.focus();
    if (this.root.open) this.refresh();
    else this.root.open = true;
  }

  /** Asks how many are in each slice now; nobody is asked while the menus are closed. */
  async refresh() {
    if (!this.root.open) return undefined;
    const asked = (this.asking += 1);
    const { fact, group } = this.chosen;
    const names = this.names ?? (await this.actions.askNames());
    const answer = await this.actions.ask({ ...this.actions.listed(), fact, group });
    if (asked !== this.asking) return;
    if ("error" in names) return setText(this.note, names.error);
    this.names = names;
    if ("error" in answer) return setText(this.note, answer.error);
    return this.#offer(answer, names);
  }

  /** @param {SaliencyRoutes["slices"]} given @param {SaliencyRoutes["slice_names"]} names */
  #offer(given, names) {
    const { chosen } = this;
    const label = chosen.unlabelled ? UNLABELLED : chosen.label;
    const { fact, group } = chosen;
    const labels = given.labels.map(({ value, n }) => ({ value: value ?? UNLABELLED, n }));
    const labelWords = (/** @type {string} */ value) => (value === UNLABELLED ? _("no label") : value);
    const groupWords = (/** @type {string} */ name) => _("annotators' {name}", { name });
    fill(this.label, _("label"), labels, label, labelWords);
    fill(this.split, _("split"), given.splits, chosen.split, (value) => value || _("no split"));
    fill(this.length, _("length"), given.lengths, chosen.length, lengthWords);
    fill(this.fact, _("metadata"), names.facts.map(named), fact, String, 1);
    fill(this.value, fact ?? "", given.facts, chosen.value, String, fact ? 1 : Infinity);
    fill(this.group, _("annotators"), names.groups.map(named), group, groupWords, 1);
    fill(this.member, group ?? "", given.groups, chosen.member, String, group ? 1 : Infinity);
    const left = given.left_out
      ? _("{left_out} rarer values are not offered.", { left_out: given.left_out.toLocaleString("en") })
      : "";
    const isOffered = parts(this.root, "select:not([hidden])", HTMLSelectElement).length;
    setText(this.note, isOffered ? left : _("No slices: one label, split and length, and no metadata."));
    this.#say();
    if (this.isFocusWanted) parts(this.root, "select:not([hidden])", HTMLSelectElement)[0]?.focus();
    this.isFocusWanted = false;
  }

  /** What is chosen stands in the summary, also while the menus are closed. */
  #say() {
    const words = wordsOf(this.query);
    setText(this.summary, words ? _("Slices: {words}", { words }) : _("Slices"));
    this.all.hidden = !words;
  }
}

/** @param {string} name @returns {Count} */
const named = (name) => ({ value: name, n: -1 });

/** @param {string} length */
const lengthWords = (length) => {
  const [first, last] = length.split("-");
  return first === last ? _("{first} tokens", { first }) : _("{first}–{last} tokens", { first, last });
};

/**
 * What a slice is called.
 * @param {Chosen} query
 */
export const wordsOf = ({ label, unlabelled, split, length, fact, value, group, member }) =>
  dotted(
    label,
    unlabelled && _("no label"),
    split,
    length && lengthWords(length),
    value && _("{fact}: {value}", { fact: fact ?? "", value }),
    member && _("annotators' {group}: {member}", { group: group ?? "", member }),
  );

/**
 * Fills a menu with what can be chosen, and shows it where there is a choice. What is chosen is there in any case.
 * @param {HTMLSelectElement} select
 * @param {string} name  of what is chosen from
 * @param {Count[]} counts
 * @param {string|undefined} chosen
 * @param {(value: string) => string} words
 */
function fill(select, name, counts, chosen, words, fewest = 2) {
  const known = counts.flatMap(({ value, n }) => (value === null ? [] : [{ value, n }]));
  if (chosen && !known.some(({ value }) => value === chosen)) known.push({ value: chosen, n: 0 });
  select.replaceChildren(
    option("", _("any {name}", { name })),
    ...known.map(({ value, n }) => option(value, n < 0 ? words(value) : `${words(value)} (${n.toLocaleString("en")})`)),
  );
  select.value = chosen ?? "";
  select.hidden = known.length < fewest && !chosen;
}

// ---- Which texts are listed: all of them, or by what models predict of them

/** @type {[which: string, words: string][]} */
export const WHICH = [
  ["all", _("all texts")],
  ["wrong", _("wrong predictions of …")],
  ["right", _("right predictions of …")],
  ["disagree", _("models disagree")],
  ["won", _("right where another is wrong")],
  ["lost", _("wrong where another is right")],
  ["perturbed", _("perturbed versions")],
];
export const NEEDS_OTHER = new Set(["won", "lost"]);
export const NEEDS_MODEL = new Set(["wrong", "right", "won", "lost"]);

/** The runs that are models' own answers. @template {{method: string}} R @param {R[]} runs */
export const answeringOf = (runs) => runs.filter(({ method }) => !method);

/**
 * Which texts of an address can be listed; what of it cannot, in words. All texts stand for the predictions of a model
 * that is gone (isAll): those of another one would be the answer to another question.
 * @param {URLSearchParams} asked
 * @param {{run: number, method: string}[]} runs
 */
export function whichOf(asked, runs) {
  const which = asked.get("which") || "all";
  const models = answeringOf(runs).map(({ run }) => String(run));
  const answers = modelOf(asked.get("answers"), models, _("Whose predictions"));
  const others = models.filter((run) => run !== (answers.run || models[0]));
  const other = modelOf(asked.get("other"), others, _("The other model"));
  const known = WHICH.find(([value]) => value === which);
  const lacks = (NEEDS_MODEL.has(which) && !answers.run) || (NEEDS_OTHER.has(which) && !other.run);
  const gone = [...answers.gone, ...other.gone];
  if (!known) gone.push(missingWords(_("Which texts"), which));
  else if (lacks && !gone.length) gone.push(_("{texts} (too few models have predictions)", { texts: known[1] }));
  const isAll = !known || lacks;
  return { which: isAll ? "all" : which, answers: answers.run, other: other.run, isAll, gone };
}

/**
 * The model that an address names, or the first where it names none; "" where there is none.
 * @param {string|null} named
 * @param {string[]} models
 * @param {string} words
 */
function modelOf(named, models, words) {
  if (!named) return { run: models[0] ?? "", gone: [] };
  if (models.includes(named)) return { run: named, gone: [] };
  return { run: "", gone: [missingWords(words, named)] };
}

export const shortened = (/** @type {string} */ text) => (text.length > 40 ? `${text.slice(0, 39)}…` : text);

/** What was asked for and is not there. @param {string} noun @param {string} value */
export const missingWords = (noun, value) => _("{noun} “{value}”", { noun, value: shortened(value) });
