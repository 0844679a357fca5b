/**
 * Saved lists: the choice above the texts, and the dialog in which lists are saved, put together, changed and deleted.
 */
import { openDialog, sendOnEnter } from "../shared/dialogs.js";
import { button, div, element, inline, option, paragraph, part, parts, press, setText, toggle } from "../shared/dom.js";
import { counted, when } from "../shared/naming.js";
import { _, several } from "../words/language.js";

/** @typedef {{id: number, key: string}} Instance  the text on the screen */
/** @typedef {"save"|"change"|"delete"|"put"} Change */
/**
 * @typedef {Object} ListsActions
 * @property {(query: Query) => Promise<SaliencyRoutes["lists"]|NoAnswer>} ask
 * @property {(change: Change, body: object) => Promise<SavedList|NoAnswer>} tell
 * @property {string} atRest  why no list can be saved or changed now; "" where they can
 * @property {() => unknown} chosen  another list is looked at
 * @property {() => HTMLElement} root
 * @property {() => {project: number, instance: Instance|undefined, listed: Record<string, string>, n: number}} shown
 *   the text on the screen, the query of the list beside it, and how many that lists
 */

export class SavedLists {
  /** @param {ListsActions} actions */
  constructor(actions) {
    this.actions = actions;
    /** @type {OfferedList[]} */
    this.lists = [];
    this.said = element("p", { class: "list-said", role: "alert" });
    this.rows = div("saved-rows");
    /** @type {HTMLDialogElement|null} */
    this.dialog = null;
    this.select = element("select", { "aria-label": _("List"), onchange: () => this.#choose(this.select.value) });
    this.facts = paragraph("list-note");
    this.root = div(
      "list-saved",
      div(
        "list-saved-row",
        this.select,
        button(_("Lists"), {
          key: "l",
          title: _("Save the listed texts, or list this one"),
          className: "plain",
          onclick: () => this.open(),
        }),
      ),
      this.facts,
    );
    this.#offer();
  }

  /** The number of the list that is looked at, as text; "" for none. */
  get value() {
    return this.select.value;
  }

  /** Asks which lists there are. `wanted`: the number of the one to look at; answers whether it is there. */
  async load(wanted = this.value) {
    const { project, instance } = this.actions.shown();
    const answer = await this.actions.ask({ project, ...(instance ? { instance: instance.id } : {}) });
    if ("error" in answer) return false;
    this.lists = answer.lists.map((one) => ({ ...one, may_change: one.may_change && !this.actions.atRest }));
    this.#offer(wanted);
    return this.value === wanted;
  }

  #offer(wanted = "") {
    const options = this.lists.map((one) => option(one.id, `${one.name} (${one.n.toLocaleString("en")})`));
    this.select.replaceChildren(option("", _("no list")), ...options);
    this.select.value = wanted;
    if (this.select.selectedIndex < 0) this.select.value = "";
    this.select.hidden = !this.lists.length;
    this.#showNote();
  }

  /** @param {string} value */
  #choose(value) {
    this.select.value = value;
    this.#showNote();
    this.actions.chosen();
  }

  #showNote() {
    const chosen = this.lists.find((one) => String(one.id) === this.value);
    const note = chosen?.note ? [element("span", { class: "note-words", dir: "auto" }, chosen.note)] : [];
    this.facts.replaceChildren(...(chosen ? [...note, factsOf(chosen)] : []));
  }

  async open() {
    await this.load();
    const { instance, n } = this.actions.shown();
    setText(this.said, "");
    this.said.classList.remove("refused");
    const { atRest } = this.actions;
    const form = atRest ? paragraph("dialog-words", atRest) : this.#form(instance, n);
    this.dialog = openDialog(this.actions.root(), _("Lists"), form, this.said, this.rows);
    this.#fill();
    this.#focusName();
  }

  #focusName() {
    if (this.dialog) parts(this.dialog, "input[name=list-name]", HTMLInputElement)[0]?.focus();
  }

  /**
   * What a new list begins with, its name, its note.
   * @param {Instance|undefined} instance
   * @param {number} n
   */
  #form(instance, n) {
    /** @param {string} value @param {string} words @param {boolean} checked @param {boolean} disabled */
    const of = (value, words, checked, disabled) =>
      element(
        "label",
        { class: "reason" },
        element("input", { type: "radio", name: "list-of", value, checked, disabled }),
        words,
      );
    const name = element("input", {
      type: "text",
      name: "list-name",
      maxLength: 100,
      placeholder: _("List name"),
      "aria-label": _("List name"),
    });
    const note = noteField({ placeholder: _("note (optional)") });
    const save = () => this.#save(part(form, "input[name=list-of]:checked", HTMLInputElement).value, name, note);
    /** @type {HTMLElement} */
    const form = div(
      "saved-form",
      element(
        "div",
        { class: "reasons", role: "radiogroup", "aria-label": _("What to save") },
        of("listed", _("all texts that are listed now ({n})", { n: n.toLocaleString("en") }), n > 0, n === 0),
        of(
          "instance",
          instance ? _("only this text: {key}", { key: instance.key }) : _("only this text"),
          n === 0,
          !instance,
        ),
      ),
      name,
      note,
      div("dialog-foot", button(_("Save list"), { key: "⏎", className: "primary", onclick: save })),
    );
    sendOnEnter(form, save);
    return form;
  }

  /** @param {string} what @param {HTMLInputElement} name @param {HTMLTextAreaElement} note */
  async #save(what, name, note) {
    const { project, instance, listed } = this.actions.shown();
    const of = what === "instance" ? { instance: instance?.id } : { asked: listed };
    const saved = await this.#tell("save", { project, name: name.value, note: note.value, ...of }, (one) =>
      several("“{name}” is saved with {n} text.", "“{name}” is saved with {n} texts.", one.n, { name: one.name }),
    );
    if (saved) name.value = note.value = "";
    else name.focus();
  }

  /**
   * Sends a change, says how it went, and shows the lists as they are then.
   * @param {Change} route
   * @param {object} body
   * @param {(one: SavedList) => string} words
   */
  async #tell(route, body, words) {
    const answer = await this.actions.tell(route, body);
    const isRefused = "error" in answer;
    setText(this.said, isRefused ? answer.error : words(answer));
    this.said.classList.toggle("refused", isRefused);
    if (isRefused) return null;
    const before = this.value;
    await this.load();
    this.#fill();
    if (before && (before !== this.value || String(answer.id) === before)) this.actions.chosen();
    return answer;
  }

  #fill() {
    const { instance } = this.actions.shown();
    this.rows.replaceChildren(...this.lists.map((one) => this.#row(one, instance)));
  }

  /** @param {OfferedList} one @param {Instance|undefined} instance */
  #row(one, instance) {
    const held =
      one.may_change &&
      instance &&
      toggle(
        _("This text"),
        "",
        one.holds
          ? _("Remove {key} from this list", { key: instance.key })
          : _("Add {key} to this list", { key: instance.key }),
        () => this.#put(one, instance),
      );
    if (held) press(held, one.holds);
    /** @type {HTMLElement} */
    const row = element(
      "section",
      { class: "saved-row", "aria-label": one.name },
      div(
        "saved-words",
        element("b", { dir: "auto" }, one.name),
        factsOf(one),
        one.note && element("span", { class: "note-words", dir: "auto" }, one.note),
      ),
      div(
        "saved-acts",
        held,
        button(_("Show"), {
          title: _("Show the texts on “{name}”", { name: one.name }),
          className: "plain",
          onclick: () => (this.dialog?.close(), this.#choose(String(one.id))),
        }),
        one.may_change &&
          button(_("Change"), {
            title: _("Edit name and note of “{name}”", { name: one.name }),
            className: "plain",
            onclick: () => this.#edit(row, one),
          }),
        one.may_change &&
          button(_("Delete"), {
            title: _("Delete “{name}”", { name: one.name }),
            className: "plain",
            onclick: ({ currentTarget }) => currentTarget instanceof HTMLElement && this.#delete(currentTarget, one),
          }),
      ),
    );
    return row;
  }

  /** @param {OfferedList} one @param {Instance} instance */
  async #put(one, instance) {
    const on = !one.holds;
    if (
      await this.#tell("put", { list: one.id, instance: instance.id, on }, () =>
        on
          ? _("{key} added to “{name}”.", { key: instance.key, name: one.name })
          : _("{key} removed from “{name}”.", { key: instance.key, name: one.name }),
      )
    )
      this.#focus(one, ".toggle");
  }

  /** @param {HTMLElement} row @param {OfferedList} one */
  #edit(row, one) {
    const name = element("input", { type: "text", value: one.name, maxLength: 100, "aria-label": _("Name") });
    const note = noteField({ value: one.note });
    const send = async () =>
      (await this.#tell("change", { list: one.id, name: name.value, note: note.value }, (made) =>
        _("“{name}” is changed.", { name: made.name }),
      )) && this.#focus(one, "button");
    row.replaceChildren(
      name,
      note,
      div(
        "saved-acts",
        button(_("Save"), { className: "primary", onclick: send }),
        button(_("Cancel"), { className: "plain", onclick: () => (this.#fill(), this.#focus(one, "button")) }),
      ),
    );
    name.focus();
  }

  /**
   * The first press asks, the second deletes.
   * @param {HTMLElement} pressed
   * @param {OfferedList} one
   */
  async #delete(pressed, one) {
    if (!pressed.classList.contains("sure")) {
      pressed.classList.add("sure");
      return setText(part(pressed, ".button-label", HTMLElement), _("Delete for everybody?"));
    }
    await this.#tell("delete", { list: one.id }, (gone) => _("Deleted “{name}”.", { name: gone.name }));
    return this.#focusName();
  }

  /**
   * The rows were made anew; the focus goes to the same place.
   * @param {OfferedList} one
   * @param {string} what
   */
  #focus(one, what) {
    const place = this.lists.findIndex((other) => other.id === one.id);
    const row = this.rows.children[place];
    if (row) parts(row, what, HTMLElement)[0]?.focus();
  }
}

/** @param {{value?: string, placeholder?: string}} given */
const noteField = (given) =>
  element("textarea", { class: "note", rows: 2, maxLength: 2000, "aria-label": _("Note"), ...given });

/** @param {SavedList} one */
const factsOf = (one) => inline("saved-facts", [counted(one.n, "text"), one.made_by, when(one.changed_at)].join(" · "));
