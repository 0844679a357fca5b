/**
 * The original beside its changed version, segment by segment: gold sets left; the editable copy and its live diff
 * right.
 */
import { letterOf } from "../shared/annotation.js";
import { div, element, inline, parts, pressable } from "../shared/dom.js";
import { counted } from "../shared/naming.js";
import { badgeOf, lanesOf } from "../shared/set_styles.js";
import { _ } from "../words/language.js";
import { combosOf, diffNodes, runsBySegment, segmentNodes, setRules } from "./changes.js";

// ---- The caret's line in a text area, which browsers do not tell: measured in a copy that is never seen

/** @satisfies {(keyof CSSStyleDeclaration)[]} */
const STYLES = /** @type {const} */ ([
  "font",
  "lineHeight",
  "letterSpacing",
  "wordSpacing",
  "textIndent",
  "tabSize",
  "direction",
  "overflowWrap",
  "padding",
]);

/**
 * @param {HTMLTextAreaElement} area
 * @returns {{top: number, height: number}}  its line, from the upper edge of what the area scrolls
 */
function caretLine(area) {
  const given = getComputedStyle(area);
  const caret = element("span", {}, "\u200b");
  const copy = element(
    "div",
    { "aria-hidden": "true", lang: area.lang },
    area.value.slice(0, area.selectionEnd),
    caret,
    area.value.slice(area.selectionEnd),
  );
  for (const name of STYLES) copy.style[name] = given[name];
  Object.assign(copy.style, {
    position: "absolute",
    visibility: "hidden",
    whiteSpace: "pre-wrap",
    boxSizing: "border-box",
    width: `${area.clientWidth}px`,
  });
  area.after(copy);
  const height = parseFloat(given.lineHeight) || caret.offsetHeight;
  const line = { top: caret.getBoundingClientRect().top - copy.getBoundingClientRect().top, height };
  copy.remove();
  return line;
}

const FOLDS_FROM = 200;
const hasFieldSizing = CSS.supports("field-sizing", "content");

/** @param {CutSegment[]} segments */
const countOf = (segments) => segments.reduce((sum, { tokens }) => sum + tokens.length, 0);

/**
 * A browser's text area has one sign for a line's end.
 * @param {string} text
 */
const asTyped = (text) => text.replace(/\r\n?/g, "\n");

export class Pair {
  /**
   * @param {(segment: string) => void} onchange  after each keystroke in a segment's copy
   * @param {[left: Node[], right: Node[]]} under  what stands below the last segment, left and right
   */
  constructor(onchange, under = [[], []]) {
    this.onchange = onchange;
    this.under = under;
    this.rules = element("style");
    this.chips = div("pair-sets");
    this.grid = div("pair-grid");
    this.root = element(
      "section",
      { class: "pair", "aria-label": _("Original and perturbed version") },
      this.rules,
      this.grid,
    );
    /** @type {Map<string, HTMLTextAreaElement>}  by segment */
    this.areas = new Map();
    /** @type {number|null}  the only set that is shown */
    this.lit = null;
    /** @type {PairInstance|null} */
    this.original = null;
    /** @type {Record<string, string>} */
    this.titles = {};
    this.dark = false;
    this.isEditable = true;
    this.folds = false;
    /** @type {Look|null} */
    this.look = null;
    /** @type {string[]}  the combination of sets of each token, of the original and of the changed text */
    this.combos = [];
    /** @type {string[]} */
    this.proposed = [];
    /** @type {HTMLElement[]} */
    this.diffs = [];
  }

  /**
   * @param {PairInstance} original
   * @param {Record<string, string>} titles  of segments
   * @param {{dark: boolean, texts?: Record<string, string>|null, isEditable?: boolean}} how
   */
  show(original, titles, { dark, texts = null, isEditable = true }) {
    this.original = original;
    this.titles = titles;
    this.dark = dark;
    this.isEditable = isEditable;
    this.look = null;
    this.folds = original.segments.some(({ tokens }) => tokens.length > FOLDS_FROM);
    this.combos = combosOf(original.gold, countOf(original.segments));
    this.proposed = [];
    this.areas.clear();
    this.diffs = [];
    this.grid.replaceChildren(
      element("h3", { class: "pair-head" }, `${_("Original")} `, this.chips),
      element("h3", { class: "pair-head after" }, _("Perturbed version")),
      ...original.segments.flatMap((segment) => this.#row(original, segment, texts?.[segment.name] ?? segment.text)),
    );
    const cells = this.grid.querySelectorAll(".pair-cell");
    cells[cells.length - 2].append(...this.under[0]);
    cells[cells.length - 1].append(...this.under[1]);
    this.grid.style.setProperty("--lanes", String(lanesOf(original.gold)));
    this.grid.className = `pair-grid ${this.folds ? "long" : ""} ${isEditable ? "" : "read-only"}`;
    this.#showChips();
    this.#paintRules();
  }

  /** @param {PairInstance} original @param {PairSegment} segment @param {string} text */
  #row(original, segment, text) {
    const title =
      original.segments.length > 1 &&
      inline(
        "segment-title",
        this.titles[segment.name] || segment.name,
        !segment.is_selectable && ` · ${_("not marked")}`,
      );
    const where = { dir: original.direction, lang: original.language };
    const left = div(
      "pair-cell",
      title,
      element(
        "div",
        {
          class: "pair-text",
          tabIndex: 0,
          role: "document",
          "aria-label": _("Original {name}", { name: segment.name }),
          ...where,
        },
        ...segmentNodes(segment, this.combos, "g"),
      ),
    );
    const diff = element("div", {
      class: "pair-text diff",
      role: "document",
      "aria-label": _("Changes in {name}", { name: segment.name }),
      tabIndex: 0,
      ...where,
    });
    this.diffs.push(diff);
    const area = this.isEditable && this.#area(segment, text, where);
    return [left, div("pair-cell after", title && title.cloneNode(true), area, diff)];
  }

  /** @param {PairSegment} segment @param {string} text @param {{dir: Direction, lang: string}} where */
  #area(segment, text, where) {
    const area = element("textarea", {
      class: "copy",
      rows: 1,
      spellcheck: true,
      "aria-label": _("Changed {name}", { name: segment.name }),
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

  /** @param {HTMLTextAreaElement} area */
  #fit(area) {
    if (hasFieldSizing) return;
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight + 2}px`;
  }

  /** What is written now; a copy that was not touched is the original's text to the letter. */
  texts() {
    return Object.fromEntries(
      (this.original?.segments ?? []).map(({ name, text }) => {
        const value = this.areas.get(name)?.value;
        return [name, value === undefined || value === asTyped(text) ? text : value];
      }),
    );
  }

  /**
   * What stands in a segment's copy, as offsets of suggestions count it.
   * @param {string} segment
   */
  typed(segment) {
    return this.areas.get(segment)?.value ?? "";
  }

  /**
   * Puts edits into a copy, as if typed at once, so that Ctrl+Z takes them back at once.
   * @param {string} segment
   * @param {Edit[]} edits
   */
  apply(segment, edits) {
    const area = this.areas.get(segment);
    if (!area) return;
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
    // Nothing was typed: the caret's line comes into view, and the diff below it as far as there is room.
    const { top, height } = caretLine(area);
    if (top < area.scrollTop || top + height > area.scrollTop + area.clientHeight)
      area.scrollTop = top - (area.clientHeight - height) / 2;
    for (const made of [this.diffs[[...this.areas.values()].indexOf(area)], area])
      made.scrollIntoView({ block: "nearest" });
  }

  /**
   * The live diff, and the proposed sets in it.
   * @param {Look} look
   */
  showLook(look) {
    const { original } = this;
    if (!original) return;
    this.look = look;
    this.proposed = combosOf(look.sets, countOf(look.segments), look.origins);
    this.#paintRules();
    const runs = runsBySegment(original.segments, look.segments, look.runs);
    const how = {
      folds: this.folds,
      unfold: () => {
        this.folds = false;
        this.showLook(look);
      },
    };
    original.segments.forEach((segment, place) => {
      const isSame = runs[place].every(([kind]) => kind === "kept");
      const diff = this.diffs[place];
      const { first, tokens } = look.segments[place];
      diff.hidden = isSame && this.isEditable && !this.proposed.slice(first, first + tokens.length).some(Boolean);
      diff.replaceChildren(...diffNodes(segment, look.segments[place], runs[place], this.proposed, how));
      showChange(diff, this.#caretToken(look.segments[place]));
    });
    this.#showChips();
  }

  /**
   * The token of the changed text at which one writes; 0 where one does not.
   * @param {PairSegment} given
   */
  #caretToken({ name, first, before, tokens }) {
    let left = this.areas.get(name)?.selectionEnd ?? 0;
    const place = tokens.findIndex((token, at) => (left -= before[at].length + token.length) <= 0);
    return first + (place < 0 ? tokens.length : place);
  }

  #showChips() {
    const gold = this.original?.gold ?? [];
    const { look } = this;
    /** @param {number} set */
    const left = (set) => (look ? ` → ${look.sets[look.origins.indexOf(set)]?.length ?? 0}` : "");
    /** @param {number|null} set */
    const light = (set) => {
      this.lit = set;
      this.#paintRules();
    };
    const chips = gold.map((tokens, set) =>
      pressable(
        "pair-set",
        {
          title: chipWords(letterOf(set), counted(tokens.length, "token"), Boolean(look)),
          onmouseenter: () => light(set),
          onmouseleave: () => light(null),
          onfocus: () => light(set),
          onblur: () => light(null),
        },
        badgeOf(set, this.dark),
        `${tokens.length}${left(set)}`,
      ),
    );
    this.chips.replaceChildren(...(gold.length ? chips : [_("no gold sets")]));
  }

  #paintRules() {
    this.rules.textContent = setRules(this.combos, this.proposed, this.original?.gold.length ?? 0, {
      dark: this.dark,
      lit: this.lit,
    });
  }

  /** @param {boolean} dark */
  theme(dark) {
    if (this.dark === dark || !this.original) return;
    this.dark = dark;
    this.#showChips();
    this.#paintRules();
  }

  focus() {
    const first = this.original?.segments.find(({ is_selectable: isSelectable }) => isSelectable);
    const area = first && this.areas.get(first.name);
    (area ?? parts(this.grid, ".pair-text", HTMLElement)[0])?.focus();
  }
}

/**
 * In a box that scrolls, the change nearest to where one writes is brought into the part of it that is on the screen.
 * @param {HTMLElement} box
 * @param {number} token
 */
function showChange(box, token) {
  const changes = parts(box, "ins, del", HTMLElement);
  if (!changes.length || box.scrollHeight <= box.clientHeight) return;
  /** @param {HTMLElement} change */
  const distance = ({ dataset: { from, to } }) => Math.max(Number(from) - token, token - Number(to), 0);
  const nearest = changes.reduce((best, one) => (distance(one) < distance(best) ? one : best));
  const { top, bottom } = box.getBoundingClientRect();
  const end = Math.max(top, Math.min(bottom, innerHeight));
  const at = nearest.getBoundingClientRect();
  if (at.top < top || at.bottom > end) box.scrollTop += at.top - top - (end - top) / 3;
}

/**
 * What a set's chip says when it is pointed at.
 * @param {string} letter
 * @param {string} tokens  how many
 * @param {boolean} isChanged
 */
const chipWords = (letter, tokens, isChanged) =>
  isChanged
    ? _("Set {letter}: {tokens} in the original, and how many are proposed here", { letter, tokens })
    : _("Set {letter}: {tokens} in the original", { letter, tokens });
