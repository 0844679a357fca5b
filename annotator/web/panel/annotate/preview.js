/**
 * Numbers that move as one marks: each set's tokens and share of the text, their union, their overlaps; and the note.
 */
import { _, several } from "../words/language.js";
import { badgeOf } from "../shared/chip.js";
import { element, setText } from "../shared/dom.js";
import { letterOf, sharedTokens, unionOf } from "../shared/model.js";
import { counted } from "../shared/spoken.js";

const BRIEF_CHARS = 90;
const MANY_PAIRS = 8;

export class Preview {
  /** @param {Pick<WorkActions, "note">} actions */
  constructor(actions) {
    /** @type {RationaleSet[]|null}  what the table shows */
    this.drawn = null;
    this.current = 0;
    this.dark = false;
    this.rows = element("tbody");
    this.total = element("tfoot");
    this.overlaps = element("p", { class: "overlaps" });
    this.table = element(
      "table",
      { class: "numbers" },
      element(
        "thead",
        {},
        element(
          "tr",
          {},
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
    this.noteTitle = element("span", { class: "note-title" }, _("Note"));
    this.noteBox = element("label", { class: "note-box" }, this.noteTitle, this.note);
    this.sets = element("div", { class: "numbers-box" }, this.table, this.overlaps);
    this.root = element(
      "div",
      { class: "aside" },
      element("h2", { class: "heard" }, _("Table of sets and note")),
      this.sets,
      this.noteBox,
    );
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
      element(
        "tr",
        {},
        element("td", {}, _("All")),
        element("td", { class: "number" }, `${size} / ${map.selectableCount}`),
        element("td", { class: "number" }, ratio(size, map.selectableCount)),
        element("td", { class: "words" }, sideWords(map, union)),
      ),
    );
  }
}

/** @param {number} part @param {number} whole */
const ratio = (part, whole) => (whole ? (part / whole).toFixed(2) : "–");

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
  return [...named.map(({ words }) => words), more > 0 && several("{n} more pairs", "{n} more pairs", more)]
    .filter(Boolean)
    .join(" · ");
}
