/**
 * The bar that stays in view: the label, the sets, the views, and the ways on; and the table of sets with the note.
 * Nothing in it moves while one works.
 */
import { letterOf, sharedTokens, unionOf } from "../shared/annotation.js";
import { button, div, element, icon, inline, keyCap, paragraph, press, setText, toggle, tr } from "../shared/dom.js";
import { counted } from "../shared/naming.js";
import { SavingLabel } from "../shared/saving.js";
import { badgeOf, makeChip, paintChip, setWords } from "../shared/set_styles.js";
import { _, dotted, joined, several } from "../words/language.js";
import { ProposedRow } from "./proposals.js";
import { ResultPlace } from "./result.js";

/**
 * With more sets their chips show less, so that they stay in one line: first without keys, then the numbers of the
 * current one alone. A lock or a flag takes about a quarter of a chip.
 */
/** @type {[most: number, name: string][]} */
const CROWDS = [
  [28, "crowd"],
  [12, "many"],
];
const CHIP_QUARTERS = 4;

/** @typedef {import("./screen.js").Showing} Showing */
/** @typedef {{lock: HTMLElement, flag: HTMLElement, symbol: ""|"lock"|"unlocked"}} Signs  of a set's chip */
/** @typedef {ReturnType<typeof makeChip> & Signs} Chip */

export class Bar {
  /** @param {WorkActions} actions */
  constructor(actions) {
    this.actions = actions;
    /** @type {Chip[]} */
    this.chips = [];
    /** The chip that was brought into sight, and of how many. */
    this.shown = "";
    this.result = new ResultPlace(actions);
    this.word = new SavingLabel();
    this.sets = element("div", { class: "sets", role: "radiogroup", "aria-label": _("Rationale sets") });
    this.proposed = new ProposedRow(actions);
    this.undo = button("", {
      icon: icon("undo"),
      title: _("Undo (Ctrl+Z)"),
      className: "plain square",
      onclick: actions.undo,
      "aria-label": _("Undo"),
    });
    this.redo = button("", {
      icon: icon("redo"),
      title: _("Redo (Ctrl+Shift+Z)"),
      className: "plain square",
      onclick: actions.redo,
      "aria-label": _("Redo"),
    });
    this.skip = button(_("Skip"), { key: "s", onclick: actions.skip });
    this.discard = button(_("Discard …"), { key: "d", title: _("Propose to discard"), onclick: actions.discard });
    this.submit = button(_("Submit"), { key: "Ctrl+⏎", className: "primary", onclick: () => actions.submit() });
    this.ways = div("ways", this.undo, this.redo, this.skip, this.discard, this.submit);
    this.adder = button(_("New set"), { key: "n", className: "plain adder", onclick: actions.newSet });
    this.erase = toggle(_("Erase"), "e", _("Erase: clicking and dragging remove tokens"), () => actions.look("erase"));
    this.only = toggle(_("This set only"), "o", _("This set only"), () => actions.look("only"));
    this.hide = toggle(_("Hide sets"), "x", _("Hide sets"), () => actions.look("hide"));
    this.table = toggle(_("Table"), "t", _("Keep the table of sets and the note visible"), () => actions.table());
    this.table.classList.add("table-button");
    this.none = toggle(
      _("No rationale"),
      "",
      _("No rationale: nothing in the text supports the result"),
      actions.noRationale,
    );
    this.views = div("views", this.erase, this.only, this.hide, this.table);
    this.tools = div(
      "row tools-row",
      element("h2", { class: "result-title" }, _("Sets")),
      this.sets,
      div("views", this.adder, this.none),
      this.views,
    );
    this.root = element(
      "div",
      { class: "bar", role: "toolbar", "aria-label": _("Label, rationale sets and submit"), tabIndex: -1 },
      div("row main-row", this.result.root, this.word.root, this.ways),
      this.tools,
      this.proposed.root,
    );
    this.sets.addEventListener("pointerleave", () => actions.hover(null));
  }

  /** @param {import("../shared/session.js").Session} session @param {Showing} look */
  update(session, look) {
    this.result.update(session, look);
    this.#updateChips(session, look);
    this.#updateButtons(session, look);
    this.proposed.update(session, look);
  }

  /** @param {Session} given0 @param {Showing} given1 */
  #updateButtons({ project, state, history, work }, { looks, readOnly, readMode, busy }) {
    const labelsOnly = project?.result_mode === "labels_only";
    this.tools.hidden = labelsOnly;
    this.ways.hidden = readMode || work.state === "submitted";
    this.word.root.hidden = readMode;
    this.adder.hidden = readOnly && !busy;
    this.erase.hidden = readOnly && !busy;
    this.none.hidden = readMode || !project?.may_be_empty || labelsOnly;
    for (const made of [this.skip, this.discard, this.submit, this.adder]) made.disabled = readOnly;
    this.none.disabled = readOnly;
    this.undo.disabled = readOnly || !history.past.length;
    this.redo.disabled = readOnly || !history.future.length;
    this.hide.hidden = this.only.hidden = this.table.hidden = readMode;
    press(this.erase, looks.erase);
    press(this.only, looks.only);
    press(this.hide, looks.hide);
    press(this.table, looks.table);
    press(this.none, state.noRationale);
  }

  /** @param {Session} given0 @param {Showing} given1 */
  #updateChips({ state, work }, { readMode, looks, dark }) {
    const { sets, unlocked } = state;
    for (const { root } of this.chips.splice(sets.length)) root.remove();
    while (this.chips.length < sets.length) this.#addChip(this.chips.length);
    /** @param {RationaleSet} set */
    const saidOf = ({ origin }) => (origin === null ? [] : (work.feedback?.sets?.[origin] ?? []));
    /** @param {RationaleSet} set */
    const wasLocked = ({ origin }) => origin !== null && unlocked.includes(origin);
    const signs = sets.filter((set) => set.locked || wasLocked(set) || saidOf(set).length).length;
    const quarters = sets.length * CHIP_QUARTERS + signs;
    for (const [most, name] of CROWDS) this.tools.classList.toggle(name, quarters > most);
    // While the next words are the answer's, no set is the one that takes them.
    this.sets.classList.toggle("resting", looks.answer);
    const chosen = readMode ? looks.pinned : state.current;
    sets.forEach((set, index) =>
      this.#updateChip(index, set, {
        chosen: index === chosen,
        feedback: saidOf(set),
        wasLocked: wasLocked(set),
        dark,
      }),
    );
    this.#showChosen(chosen);
  }

  /**
   * Brings the current set's chip into sight where there are more than fit beside one another.
   * @param {number|null} chosen
   */
  #showChosen(chosen) {
    const shown = `${chosen}/${this.chips.length}`;
    if (this.shown === shown) return;
    this.shown = shown;
    if (chosen !== null && this.tools.classList.contains("many"))
      this.chips[chosen]?.root.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** @param {number} index */
  #addChip(index) {
    const lock = element("span", { class: "lock", hidden: true });
    const flag = element("span", { class: "flag", hidden: true }, icon("returned"));
    const key = index < 9 ? keyCap(String(index + 1)) : null;
    const chip = makeChip(
      index,
      {
        // A key press is a click without a count: it chooses, and leaves the text where it is.
        /** @param {MouseEvent} event */
        onclick: (event) =>
          event.target instanceof Element && event.target.closest(".lock")
            ? this.actions.unlock(index)
            : this.actions.choose(index, event.detail > 0),
        onpointerenter: () => this.actions.hover(index),
      },
      lock,
      flag,
      key,
    );
    this.chips.push({ ...chip, lock, flag, symbol: "" });
    this.sets.append(chip.root);
  }

  /**
   * @param {number} index
   * @param {RationaleSet} set
   * @param {{chosen: boolean, feedback: string[], wasLocked: boolean, dark: boolean}} given
   */
  #updateChip(index, set, { chosen, feedback, wasLocked, dark }) {
    const chip = this.chips[index];
    paintChip(chip, { index, count: this.chips.length, size: set.size, chosen, dark });
    // An open lock keeps the place of the closed one.
    const symbol = set.locked ? "lock" : wasLocked ? "unlocked" : "";
    chip.lock.hidden = !symbol;
    if (symbol && chip.symbol !== symbol) chip.lock.replaceChildren(icon((chip.symbol = symbol)));
    chip.flag.hidden = !feedback.length;
    const words = setWords(index, set.size);
    const notes = dotted(set.locked && _("passed and locked: click the lock or press u"), ...feedback);
    chip.root.title = [
      words,
      index < 9 && _("key {key}", { key: index + 1 }),
      _("click to jump there, again to return"),
      notes,
    ]
      .filter(Boolean)
      .join(" – ");
    chip.root.setAttribute("aria-label", joined(words, notes));
  }

  focusAnswer() {
    this.result.answer?.focus();
  }
}

// ---- Numbers that move as one marks: tokens and share of each set, their union, their overlaps; and the note

const BRIEF_CHARS = 90;
const MANY_PAIRS = 8;

export class SetTable {
  /** @param {Pick<WorkActions, "note">} actions */
  constructor(actions) {
    /** @type {RationaleSet[]|null}  what the table shows */
    this.drawn = null;
    this.current = 0;
    this.dark = false;
    this.rows = element("tbody");
    this.total = element("tfoot");
    this.overlaps = paragraph("overlaps");
    this.table = element(
      "table",
      { class: "numbers" },
      element(
        "thead",
        {},
        tr(
          element("th", { scope: "col" }, _("Set")),
          element("th", { scope: "col", class: "number" }, _("Tokens")),
          element(
            "th",
            {
              scope: "col",
              class: "number",
              title: _("Rationale length ratio: tokens of the set / selectable tokens"),
            },
            "RLR",
          ),
          element("th", { scope: "col" }, _("Words")),
        ),
      ),
      this.rows,
      this.total,
    );
    this.note = element("textarea", {
      class: "note",
      rows: 2,
      id: "annotator-note",
      oninput: () => actions.note(this.note.value),
      placeholder: _("for the reviewers and the lead"),
    });
    this.noteTitle = inline("note-title", _("Note"));
    this.noteBox = element("label", { class: "note-box" }, this.noteTitle, this.note);
    this.sets = div("numbers-box", this.table, this.overlaps);
    this.root = div("aside", element("h2", { class: "heard" }, _("Table of sets and note")), this.sets, this.noteBox);
  }

  /** @param {Session} session */
  show(session) {
    this.drawn = null;
    this.note.value = session.state.note;
  }

  /** @param {Session} session @param {{dark: boolean, readOnly: boolean}} given */
  update(session, { dark, readOnly }) {
    this.note.readOnly = readOnly;
    this.noteBox.hidden = readOnly && !session.state.note;
    if (this.note.value !== session.state.note) this.note.value = session.state.note;
    const { sets, current } = session.state;
    this.sets.hidden = session.project?.result_mode === "labels_only";
    if (this.drawn === sets && this.current === current && this.dark === dark) return;
    this.drawn = sets;
    this.current = current;
    this.dark = dark;
    this.rows.replaceChildren(...sets.map((set, index) => this.#row(session, set, index, dark)));
    this.#updateTotal(session, sets);
    setText(this.overlaps, overlapWords(sets, current));
  }

  /** @param {Session} given @param {RationaleSet} set @param {number} index @param {boolean} dark */
  #row({ map, state }, set, index, dark) {
    return element(
      "tr",
      { class: index === state.current ? "current" : "" },
      element("td", {}, badgeOf(index, dark)),
      element("td", { class: "number" }, String(set.size)),
      element("td", { class: "number" }, ratio(set.size, map.selectableCount)),
      element("td", { class: "words", dir: "auto" }, set.size ? map.brief(set.spans, BRIEF_CHARS) : "–"),
    );
  }

  /** @param {Session} given @param {RationaleSet[]} sets */
  #updateTotal({ map }, sets) {
    const union = unionOf(sets);
    const size = union.reduce((sum, [start, end]) => sum + end - start, 0);
    this.total.replaceChildren(
      tr(
        element("td", {}, _("All")),
        element("td", { class: "number" }, `${size} / ${map.selectableCount}`),
        element("td", { class: "number" }, ratio(size, map.selectableCount)),
        element("td", { class: "words" }, sideWords(map, union)),
      ),
    );
  }
}

/** @param {number} part @param {number} whole */
const ratio = (part, whole) => {
  if (!whole) return "–";
  const share = part / whole;
  return share && share < 0.1 ? share.toPrecision(2) : share.toFixed(2);
};

/**
 * The union's share in each segment, where there are several.
 * @param {TokenMap} map
 * @param {Span[]} union
 */
function sideWords(map, union) {
  if (map.reading.length < 2) return "";
  return [...map.reading]
    .sort((a, b) => a - b)
    .map((segment) => {
      /** @type {Span} */
      const all = [map.first[segment], map.first[segment] + map.starts[segment].length];
      const share = sharedTokens(union, [all]);
      return `${map.segments[segment].title || map.segments[segment].name} ${ratio(share, all[1] - all[0])}`;
    })
    .join(" · ");
}

/**
 * Which sets share tokens; with many, those of the current set are named and the others counted.
 * @param {RationaleSet[]} sets
 * @param {number} current
 */
function overlapWords(sets, current) {
  const pairs = [];
  for (let a = 0; a < sets.length; a += 1) {
    for (let b = a + 1; b < sets.length; b += 1) {
      const shared = sharedTokens(sets[a].spans, sets[b].spans);
      if (shared)
        pairs.push({
          a,
          b,
          words: _("{title}: {sentence}", {
            title: `${letterOf(a)} ∩ ${letterOf(b)}`,
            sentence: counted(shared, "token"),
          }),
        });
    }
  }
  const named = pairs.length <= MANY_PAIRS ? pairs : pairs.filter(({ a, b }) => a === current || b === current);
  const more = pairs.length - named.length;
  return dotted(...named.map(({ words }) => words), more > 0 && several("{n} more pairs", "{n} more pairs", more));
}
