/**
 * The original beside its changed version, segment by segment: gold sets left; the editable copy and its live diff
 * right.
 */
import { caretLine } from "./caret.js";
import { badgeOf } from "../shared/chip.js";
import { element } from "../shared/dom.js";
import { letterOf } from "../shared/model.js";
import { diffNodes, runsBySegment } from "./diff.js";
import { combosOf, segmentNodes, setRules } from "./sets.js";
import { lanesOf } from "../shared/gold_underlines.js";
import { counted } from "../shared/spoken.js";

const FOLDS_FROM = 200;
const hasFieldSizing = CSS.supports("field-sizing", "content");

/** A browser's text area has one sign for a line's end. */
const asTyped = (text) => text.replace(/\r\n?/g, "\n");

export class Pair {
  /**
   * @param {(segment: string) => void} onchange  after each keystroke in a segment's copy
   * @param {[Node[], Node[]]} under  what stands below the last segment, left and right
   */
  constructor(onchange, under = [[], []]) {
    this.onchange = onchange;
    this.under = under;
    this.rules = element("style");
    this.chips = element("div", { class: "pair-sets" });
    this.grid = element("div", { class: "pair-grid" });
    this.root = element(
      "section",
      { class: "pair", "aria-label": "Original and changed version" },
      this.rules,
      this.grid,
    );
    this.areas = new Map();
    this.lit = null;
  }

  /** @param {Object} original  as the routes tell it; @param {Object<string, string>} titles  of segments */
  show(original, titles, { dark, texts = null, isEditable = true }) {
    this.original = original;
    this.titles = titles;
    this.dark = dark;
    this.isEditable = isEditable;
    this.look = null;
    this.folds = original.segments.some(({ tokens }) => tokens.length > FOLDS_FROM);
    this.n = original.segments.reduce((sum, segment) => sum + segment.tokens.length, 0);
    this.combos = combosOf(original.gold, this.n);
    this.areas.clear();
    this.diffs = [];
    this.grid.replaceChildren(
      element("h3", { class: "pair-head" }, "Original ", this.chips),
      element("h3", { class: "pair-head after" }, "Changed version"),
      ...original.segments.flatMap((segment) => this.#row(segment, texts?.[segment.name] ?? segment.text)),
    );
    const cells = this.grid.querySelectorAll(".pair-cell");
    cells[cells.length - 2].append(...this.under[0]);
    cells[cells.length - 1].append(...this.under[1]);
    this.grid.style.setProperty("--lanes", lanesOf(original.gold));
    this.grid.className = `pair-grid ${this.folds ? "long" : ""} ${isEditable ? "" : "read-only"}`;
    this.#showChips();
    this.#paintRules();
  }

  #row(segment, text) {
    const title =
      this.original.segments.length > 1 &&
      element(
        "span",
        { class: "segment-title" },
        this.titles[segment.name] || segment.name,
        !segment.is_selectable && " · not marked",
      );
    const where = { dir: this.original.direction, lang: this.original.language };
    const left = element(
      "div",
      { class: "pair-cell" },
      title,
      element(
        "div",
        { class: "pair-text", tabIndex: 0, role: "document", "aria-label": `Original ${segment.name}`, ...where },
        ...segmentNodes(segment, this.combos, "g"),
      ),
    );
    const diff = element("div", {
      class: "pair-text diff",
      role: "document",
      "aria-label": `Changes in ${segment.name}`,
      tabIndex: 0,
      ...where,
    });
    this.diffs.push(diff);
    const area = this.isEditable && this.#area(segment, text, where);
    return [left, element("div", { class: "pair-cell after" }, title && title.cloneNode(true), area, diff)];
  }

  #area(segment, text, where) {
    const area = element("textarea", {
      class: "copy",
      rows: 1,
      spellcheck: true,
      "aria-label": `Changed ${segment.name}`,
      "data-segment": segment.name,
      value: asTyped(text),
      ...where,
    });
    area.addEventListener("input", () => {
      this.#fit(area);
      this.onchange(segment.name);
    });
    this.areas.set(segment.name, area);
    if (this.folds) area.setSelectionRange(0, 0); // else a long text would open at its end
    if (!hasFieldSizing) requestAnimationFrame(() => this.#fit(area));
    return area;
  }

  #fit(area) {
    if (hasFieldSizing) return;
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight + 2}px`;
  }

  /** What is written now; a copy that was not touched is the original's text to the letter. */
  texts() {
    return Object.fromEntries(
      this.original.segments.map(({ name, text }) => {
        const value = this.areas.get(name)?.value;
        return [name, value === undefined || value === asTyped(text) ? text : value];
      }),
    );
  }

  /** What stands in a segment's copy, as offsets of suggestions count it. */
  typed(segment) {
    return this.areas.get(segment).value;
  }

  /** Puts edits into a copy, as if typed at once, so that Ctrl+Z takes them back at once. */
  apply(segment, edits) {
    const area = this.areas.get(segment);
    const sorted = [...edits].sort((a, b) => a[0] - b[0]);
    const [from, to] = [sorted[0][0], sorted[sorted.length - 1][1]];
    let [words, at] = ["", from];
    for (const [start, end, replacement] of sorted) {
      words += area.value.slice(at, start) + replacement;
      at = end;
    }
    area.focus({ preventScroll: true });
    area.setSelectionRange(from, to);
    const isDone = words ? document.execCommand("insertText", false, words) : document.execCommand("delete");
    if (!isDone) {
      area.setRangeText(words, from, to, "end");
      area.dispatchEvent(new Event("input"));
    }
    this.#reveal(area);
  }

  /**
   * Where something was put in without being typed, the caret's line comes into view, and the diff below it as far as
   * there is room.
   */
  #reveal(area) {
    const { top, height } = caretLine(area);
    if (top < area.scrollTop || top + height > area.scrollTop + area.clientHeight)
      area.scrollTop = top - (area.clientHeight - height) / 2;
    for (const part of [this.diffs[[...this.areas.values()].indexOf(area)], area])
      part.scrollIntoView({ block: "nearest" });
  }

  /** The live diff, and the proposed sets in it. */
  showLook(look) {
    this.look = look;
    const n = look.segments.reduce((sum, segment) => sum + segment.tokens.length, 0);
    this.proposed = combosOf(look.sets, n, look.origins);
    this.#paintRules();
    const runs = runsBySegment(this.original.segments, look.segments, look.runs);
    const how = {
      folds: this.folds,
      unfold: () => {
        this.folds = false;
        this.showLook(look);
      },
    };
    this.original.segments.forEach((segment, place) => {
      const isSame = runs[place].every(([kind]) => kind === "kept");
      const diff = this.diffs[place];
      const { first, tokens } = look.segments[place];
      diff.hidden = isSame && this.isEditable && !this.proposed.slice(first, first + tokens.length).some(Boolean);
      diff.replaceChildren(...diffNodes(segment, look.segments[place], runs[place], this.proposed, how));
      showChange(diff, this.#caretToken(look.segments[place]));
    });
    this.#showChips();
  }

  /** The token of the changed text at which one writes; 0 where one does not. */
  #caretToken({ name, first, before, tokens }) {
    let left = this.areas.get(name)?.selectionEnd ?? 0;
    const place = tokens.findIndex((token, at) => (left -= before[at].length + token.length) <= 0);
    return first + (place < 0 ? tokens.length : place);
  }

  #showChips() {
    const { gold } = this.original;
    const left = (set) => {
      const place = this.look ? this.look.origins.indexOf(set) : -1;
      return this.look ? ` → ${place < 0 ? 0 : this.look.sets[place].length}` : "";
    };
    const light = (set) => {
      this.lit = set;
      this.#paintRules();
    };
    const chips = gold.map((tokens, set) =>
      element(
        "button",
        {
          type: "button",
          class: "pair-set",
          title: `Set ${letterOf(set)}: ${counted(tokens.length, "token")} of the original${this.look ? ", and how many are proposed in the changed text" : ""}`,
          onmouseenter: () => light(set),
          onmouseleave: () => light(null),
          onfocus: () => light(set),
          onblur: () => light(null),
        },
        badgeOf(set, this.dark),
        `${tokens.length}${left(set)}`,
      ),
    );
    this.chips.replaceChildren(...(gold.length ? chips : ["no gold sets"]));
  }

  #paintRules() {
    this.rules.textContent = setRules(this.combos, this.proposed || [], this.original.gold.length, {
      dark: this.dark,
      lit: this.lit,
    });
  }

  theme(dark) {
    if (this.dark === dark || !this.original) return;
    this.dark = dark;
    this.#showChips();
    this.#paintRules();
  }

  focus() {
    const first = this.original?.segments.find(({ is_selectable: isSelectable }) => isSelectable);
    (this.areas.get(first?.name) || this.grid.querySelector(".pair-text"))?.focus();
  }
}

/**
 * In a box that scrolls, the change nearest to where one writes is brought into the part of it that is on the screen.
 */
function showChange(box, token) {
  const changes = [...box.querySelectorAll("ins, del")];
  if (!changes.length || box.scrollHeight <= box.clientHeight) return;
  const distance = ({ dataset: { from, to } }) => Math.max(from - token, token - to, 0);
  const nearest = changes.reduce((best, one) => (distance(one) < distance(best) ? one : best));
  const { top, bottom } = box.getBoundingClientRect();
  const end = Math.max(top, Math.min(bottom, innerHeight));
  const at = nearest.getBoundingClientRect();
  if (at.top < top || at.bottom > end) box.scrollTop += at.top - top - (end - top) / 3;
}
