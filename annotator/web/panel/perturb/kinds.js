/** The kind of a changed version, which is chosen first: as a list with descriptions, then as a field. */
import { _, together } from "../words/language.js";
import { element, parts, setText, treeOf } from "../shared/dom.js";

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
    ? _("The label may stay or change.")
    : keeps
      ? _("The label usually stays.")
      : _("The label usually changes.");

export class KindField {
  /** @param {Kind[]} kinds @param {() => void} onchange */
  constructor(kinds, onchange) {
    this.value = "";
    this.kinds = kinds;
    this.onchange = onchange;
    this.byName = new Map(kinds.map((kind) => [kind.name, kind]));
    this.field = element(
      "select",
      { class: "kind-field", "aria-label": _("Kind of change"), onchange: () => this.#chosen(this.field.value) },
      element("option", { value: "" }, _("Kind …")),
      ...this.#families(
        (kind) => element("option", { value: kind.name }, kind.title),
        (title, rows) => element("optgroup", { label: title }, ...rows),
      ),
    );
    this.words = element("span", { class: "kind-words" });
    this.root = element("label", { class: "kind" }, element("span", { class: "result-title" }, _("Kind")), this.field);
    this.list = element(
      "section",
      { class: "kind-list", "aria-label": _("Kinds") },
      element("h3", { class: "pair-head" }, _("What kind of change do you want to make?")),
      ...this.#families(
        (kind) => this.#row(kind),
        (title, rows) => element("div", { class: "kind-family" }, element("h4", {}, title), ...rows),
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
    return element(
      "button",
      {
        type: "button",
        class: "kind-row",
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
    return kind ? together(withoutSource(kind.description), keepsWords(kind)) : "";
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
    const rows = parts(this.list, ".kind-row", HTMLElement);
    const at = rows.findIndex((row) => row === treeOf(this.list).activeElement);
    rows[Math.min(rows.length - 1, Math.max(0, at + by))]?.focus();
  }
}

/**
 * Where a kind comes from stands in brackets at the end of its description; it is told on pointing.
 * @param {string} description
 */
const withoutSource = (description) => description.replace(/ ?[(（][^()（）]*[)）]$/, "");
