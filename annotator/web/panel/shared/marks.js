/**
 * Marks over the text with the CSS Custom Highlight API, which never touches the text's nodes, and the map of them
 * beside the scroll bar.
 *
 * A set is one Highlight object. What it looks like (current, other, dimmed, …) is only a matter of the name under
 * which that object is registered, so that changing the current set moves no range, and adding a mark adds one range.
 * Names carry the panel's prefix: the registry belongs to the whole document.
 */
import { _ } from "../words/language.js";
import { unionOf } from "./annotation.js";
import { div, element } from "./dom.js";
import { faint, laneOf, lookOf } from "./set_styles.js";

/** Size of the letters for which the lanes are made (set_styles.js); with larger ones they move apart. */
const USUAL_PIXELS = 18;

/** @typedef {"other"|"current"|"dim"|"alone"|"hidden"|"away"} Look */
/** @typedef {"add"|"erase"|"range"|"pick"} Intent  what a drag or a range of the keyboard would do */
/**
 * Tokens marked on top of all sets: taken out; new or gone since the round before; where one stands; proposed, the one
 * at hand, told to be no rationale; the answer.
 * @typedef {"out"|"added"|"gone"|"stop"|"proposed"|"hand"|"ignored"|"answer"} Overlay
 */
/** @typedef {{highlight: Highlight, spans: Span[], ranges: Map<string, AbstractRange>, name: string}} Layer */
/** @typedef {import("./text_drawing.js").TextView} TextView */

export class Marks {
  /**
   * @param {string} prefix  unique among the panels of the document
   * @param {Document|ShadowRoot} root  where the ::highlight() rules have to live
   */
  constructor(prefix, root) {
    this.prefix = prefix;
    this.root = root;
    this.sheet = new CSSStyleSheet();
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, this.sheet];
    /** @type {Layer[]} */
    this.layers = [];
    /** @type {TextView|null}  what the marks lie over */
    this.view = null;
    this.ruled = "";
    /** The name under which the preview is registered. */
    this.previewName = "";
    /** @type {Proposal[]|null} */
    this.proposed = null;
    /** @type {Proposal|null} */
    this.hand = null;
    /** @type {Span[]|null} */
    this.ignored = null;
    this.preview = new Highlight();
    this.preview.priority = 100;
    /** @type {Map<Overlay, string>} */
    this.overlays = new Map();
  }

  /**
   * The text stands in another tree now, and the rules with it.
   * @param {Document|ShadowRoot} root
   */
  moveTo(root) {
    this.root.adoptedStyleSheets = this.root.adoptedStyleSheets.filter((sheet) => sheet !== this.sheet);
    this.root = root;
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, this.sheet];
  }

  /**
   * Forgets all marks and draws on another text from now on.
   * @param {TextView|null} view
   */
  reset(view) {
    for (const layer of this.layers) CSS.highlights.delete(layer.name);
    this.layers = [];
    this.view = view;
    this.showPreview([], null, 0);
    for (const kind of [...this.overlays.keys()]) this.overlay(kind, []);
    this.proposed = this.hand = this.ignored = null;
  }

  /**
   * @param {Array<{spans: Span[]}>} sets
   * @param {(index: number) => Look} lookAt
   * @param {boolean} dark
   */
  paint(sets, lookAt, dark) {
    this.#rules(Math.max(sets.length, 1), dark);
    for (const layer of this.layers.splice(sets.length)) CSS.highlights.delete(layer.name);
    sets.forEach((set, index) => {
      if (!this.layers[index]) this.layers.push({ highlight: new Highlight(), spans: [], ranges: new Map(), name: "" });
      this.#syncRanges(this.layers[index], set.spans);
      this.#syncName(this.layers[index], `${this.prefix}-${lookAt(index)}-${index}`);
    });
  }

  /**
   * Changes only the ranges that changed: a mark costs the same in a short and in a long text.
   * @param {Layer} layer
   * @param {Span[]} spans
   */
  #syncRanges(layer, spans) {
    if (layer.spans === spans) return;
    const wanted = new Set(spans.map(([start, end]) => `${start}-${end}`));
    for (const [key, range] of layer.ranges) {
      if (wanted.has(key)) continue;
      layer.highlight.delete(range);
      layer.ranges.delete(key);
    }
    for (const [start, end] of spans) {
      const key = `${start}-${end}`;
      if (layer.ranges.has(key)) continue;
      const range = this.#rangeOf([start, end]);
      layer.ranges.set(key, range);
      layer.highlight.add(range);
    }
    layer.spans = spans;
  }

  /** @param {Span} span */
  #rangeOf([start, end]) {
    if (!this.view) throw new TypeError("There is no text to mark yet.");
    return this.view.rangeOf(start, end);
  }

  /** @param {Layer} layer @param {string} name */
  #syncName(layer, name) {
    if (layer.name === name) return;
    if (layer.name) CSS.highlights.delete(layer.name);
    layer.name = name;
    CSS.highlights.set(name, layer.highlight);
  }

  /**
   * Shows what a drag or a keyboard range would add ("add") or take away ("erase"), before it does.
   * @param {Span[]} spans
   * @param {Intent|null} kind
   * @param {number} index
   */
  showPreview(spans, kind, index) {
    for (const other of ["erase", "range", "pick"]) CSS.highlights.delete(`${this.prefix}-${other}`);
    if (this.previewName) CSS.highlights.delete(this.previewName);
    this.preview.clear();
    if (!spans.length) return;
    for (const span of spans) this.preview.add(this.#rangeOf(span));
    this.previewName = kind === "add" ? `${this.prefix}-add-${index}` : `${this.prefix}-${kind}`;
    CSS.highlights.set(this.previewName, this.preview);
  }

  /**
   * Marks tokens on top of all sets, whatever set they are in.
   * @param {Overlay} kind
   * @param {Span[]} spans
   */
  overlay(kind, spans) {
    const name = `${this.prefix}-${kind}`;
    const key = JSON.stringify(spans);
    if (this.overlays.get(kind) === key) return;
    CSS.highlights.delete(name);
    this.overlays.delete(kind);
    if (!spans.length) return;
    const highlight = new Highlight(...spans.map((span) => this.#rangeOf(span)));
    highlight.priority = 50;
    CSS.highlights.set(name, highlight);
    this.overlays.set(kind, key);
  }

  /**
   * Draws proposed sets, the one at hand stronger, and words that are told to be no rationale; only where they are
   * others.
   * @param {Proposal[]} proposed
   * @param {Proposal|null} hand
   * @param {Span[]} ignored
   */
  propose(proposed, hand, ignored) {
    if (this.proposed === proposed && this.hand === hand && this.ignored === ignored) return;
    this.proposed = proposed;
    this.hand = hand;
    this.ignored = ignored;
    this.overlay("ignored", ignored);
    this.overlay("proposed", unionOf(proposed.filter((one) => one !== hand)));
    this.overlay("hand", hand?.spans ?? []);
  }

  /**
   * The rules for all sets, written again only when the theme or the number of lanes changes.
   * @param {number} count
   * @param {boolean} dark
   */
  #rules(count, dark) {
    const key = `${count}-${dark}`;
    if (this.ruled === key) return;
    this.ruled = key;
    const sets = Array.from({ length: count }, (_, index) => index);
    const rules = [...sets.flatMap((index) => this.#setRules(index, count, dark)), ...this.#sharedRules(dark)];
    const forced = [...sets.flatMap((index) => this.#forcedSetRules(index, count)), ...this.#forcedSharedRules()];
    this.sheet.replaceSync(`${rules.join("\n")}\n@media (forced-colors: active){${forced.join("\n")}}`);
  }

  /** @param {string} name @param {string} body */
  #rule = (name, body) => `::highlight(${this.prefix}-${name}){${body}}`;

  /** @param {number} index @param {number} count @param {boolean} dark */
  #setRules(index, count, dark) {
    const { color, style } = lookOf(index, dark, count);
    const crowded = count > 5;
    const thin = style === "double" || style === "wavy";
    const thickness = crowded || thin ? 1 : 1.5;
    const strong = crowded || thin ? thickness : 2;
    const line = underlineOf(style, index, count);
    /** @param {Look|"add"} look @param {string} body */
    const rule = (look, body) => this.#rule(`${look}-${index}`, body);
    const ink = dark ? "#fff" : "#000";
    return [
      rule("other", line(color, thickness)),
      rule("dim", line(faint(color, 0.22), thickness)),
      rule("current", `background-color:${faint(color, dark ? 0.3 : 0.16)};${line(color, strong)}`),
      rule("alone", `color:${ink};background-color:${faint(color, dark ? 0.3 : 0.16)};${line(color, strong)}`),
      rule("away", "background-color:transparent"),
      rule("hidden", `color:transparent;background-color:${dark ? "#3a3f4a" : "#d5d8de"}`),
      rule("add", `background-color:${faint(color, dark ? 0.42 : 0.28)};${line(color, strong)}`),
    ];
  }

  /** @param {boolean} dark */
  #sharedRules(dark) {
    const rule = this.#rule;
    const erase = dark ? "#ff8a80" : "#b3261e";
    const added = dark ? "#5fd7a7" : "#00664f";
    const block = dark ? "#3a3f4a" : "#d5d8de";
    const [ink, quiet] = dark ? ["#ffffff", "#9aa1ad"] : ["#1f2430", "#6b7280"];
    return [
      // Above the words, where no set has a line, and in no set's colour.
      rule("answer", `text-decoration:overline solid ${ink} 2px;background-color:${faint(ink, 0.06)}`),
      rule("pick", `text-decoration:overline solid ${ink} 2px;background-color:${faint(ink, 0.18)}`),
      rule("proposed", `text-decoration:overline dashed ${quiet} 1.5px`),
      rule("hand", `background-color:${faint(ink, 0.09)};text-decoration:overline dashed ${ink} 2px`),
      rule("ignored", `color:${quiet};text-decoration:line-through solid ${faint(quiet, 0.45)} 1px`),
      rule("out", `color:transparent;background-color:${block};text-decoration:line-through solid ${erase} 2px`),
      rule(
        "added",
        `background-color:${faint(added, 0.2)};text-decoration:underline double ${added} 2px;text-underline-offset:5px`,
      ),
      rule("gone", `background-color:${faint(erase, 0.12)};text-decoration:line-through solid ${erase} 2px`),
      rule("stop", `background-color:${dark ? "#ffffff2e" : "#0000001f"}`),
      rule("erase", `background-color:${faint(erase, 0.16)};text-decoration:line-through ${erase} 2px`),
      rule("range", `background-color:${dark ? "#ffffff33" : "#00000021"}`),
    ];
  }

  /**
   * Where the person's system forces its own colours (a contrast theme) only those of the system are painted, so the
   * sets are told apart by their lines and lanes alone; the current one has the colour of what is selected, and a
   * thicker line.
   * @param {number} index
   * @param {number} count
   */
  #forcedSetRules(index, count) {
    const { style } = lookOf(index, false, count);
    const line = underlineOf(style, index, count);
    /** @param {Look|"add"} look @param {string} body */
    const rule = (look, body) => this.#rule(`${look}-${index}`, body);
    return [
      rule("other", line("CanvasText", 1.5)),
      rule("dim", line("GrayText", 1)),
      rule("current", `color:Highlight;${line("Highlight", 3)}`),
      rule("alone", `color:CanvasText;${line("Highlight", 3)}`),
      rule("hidden", "color:GrayText;background-color:GrayText"),
      rule("add", `color:HighlightText;background-color:Highlight;${line("CanvasText", 3)}`),
    ];
  }

  #forcedSharedRules() {
    const rule = this.#rule;
    return [
      rule("answer", "text-decoration:overline solid CanvasText 3px"),
      rule("pick", "color:HighlightText;background-color:Highlight;text-decoration:overline solid CanvasText 3px"),
      rule("proposed", "text-decoration:overline dashed CanvasText 1.5px"),
      rule("hand", "text-decoration:overline dashed Highlight 3px"),
      rule("ignored", "color:GrayText;text-decoration:line-through solid GrayText 1px"),
      rule("out", "color:GrayText;background-color:GrayText"),
      rule("added", "text-decoration:underline double Highlight 3px;text-underline-offset:5px"),
      rule("gone", "text-decoration:line-through solid CanvasText 2px"),
      rule("stop", "color:HighlightText;background-color:Highlight"),
      rule("erase", "text-decoration:line-through solid CanvasText 3px"),
      rule("range", "color:HighlightText;background-color:Highlight"),
    ];
  }

  /** Takes everything of this panel out of the document's registry. */
  destroy() {
    this.reset(this.view);
    this.root.adoptedStyleSheets = this.root.adoptedStyleSheets.filter((sheet) => sheet !== this.sheet);
  }
}

/**
 * What draws the line of a set in its lane.
 * @param {string} style
 * @param {number} index
 * @param {number} count
 * @returns {(colour: string, width: number) => string}
 */
function underlineOf(style, index, count) {
  const lane = (laneOf(index, count) / USUAL_PIXELS).toFixed(4);
  return (colour, width) => `text-decoration:underline ${style} ${colour} ${width}px;text-underline-offset:${lane}em`;
}

// ---- The map beside the scroll bar: where the marks of a long text lie, drawn when the browser has nothing else to
// do

const WIDTH = 12;
const LEAST_PIXELS = 2;
const MOST_COLUMNS = 4;
/** A click this near to a mark means the mark. */
const NEAR_PIXELS = 6;
/** A text that is less longer than the window than this needs no map; nor does one without marks. */
const LONGER = 1.25;
const AT_THE_LATEST_MS = 400;
const FORCED = matchMedia("(forced-colors: active)");

/**
 * Safari has no idle time; then a moment later does.
 * @param {() => void} callback
 * @returns {() => void}  what takes it back
 */
function whenIdle(callback) {
  if (!window.requestIdleCallback) {
    const timer = setTimeout(callback, 50);
    return () => clearTimeout(timer);
  }
  const handle = window.requestIdleCallback(callback, { timeout: AT_THE_LATEST_MS });
  return () => window.cancelIdleCallback(handle);
}

/** @typedef {import("./text_screen.js").TextScreen<Session|ReviewSession>} Stage */

export class MarkMap {
  /** @param {Stage} stage */
  constructor(stage) {
    this.stage = stage;
    this.canvas = element("canvas", { class: "map-marks" });
    this.window = div("map-window");
    this.box = element(
      "div",
      { class: "map", title: _("Where the marks are; click to jump"), onclick: (event) => this.#clicked(event) },
      this.canvas,
      this.window,
    );
    this.root = element("div", { class: "map-track", hidden: true, "aria-hidden": "true" }, this.box);
    /** @type {Array<{spans: Span[]}>} */
    this.sets = [];
    this.dark = false;
    this.height = 0;
    /** @type {Array<{token: number, from: number, to: number}>}  where the marks lie in the map */
    this.places = [];
    /** @type {(() => void)|null}  takes back what is drawn when there is time */
    this.waiting = null;
  }

  /** Another text: its marks are not known yet. */
  reset() {
    this.sets = [];
    this.#later();
  }

  /** @param {Array<{spans: import("./tokens.js").Span[]}>} sets @param {boolean} dark */
  update(sets, dark) {
    if (this.sets === sets && this.dark === dark) return;
    this.sets = sets;
    this.dark = dark;
    this.#later();
  }

  /** The text or the window has another size. */
  resized() {
    this.#later();
  }

  #later() {
    if (this.waiting) return;
    this.waiting = whenIdle(() => {
      this.waiting = null;
      this.#draw();
    });
  }

  #draw() {
    const { stage } = this;
    if (!stage.session || !stage.text.isConnected || !this.sets.some(({ spans }) => spans.length)) return this.#hide();
    const text = stage.text.getBoundingClientRect();
    if (text.height < stage.textRoom * LONGER) return this.#hide();
    this.root.hidden = false;
    this.height = this.box.clientHeight;
    this.#paint(text);
    this.scrolled();
  }

  #hide() {
    this.root.hidden = true;
  }

  /** @param {DOMRect} text */
  #paint(text) {
    const scale = window.devicePixelRatio || 1;
    Object.assign(this.canvas, { width: WIDTH * scale, height: Math.max(1, Math.round(this.height * scale)) });
    const brush = this.canvas.getContext("2d");
    if (!brush) return;
    brush.scale(scale, scale);
    const columns = Math.min(MOST_COLUMNS, Math.max(1, this.sets.length));
    const width = WIDTH / columns;
    const placeOf = this.stage.view.measure(text);
    this.places = [];
    this.sets.forEach(({ spans }, set) => {
      brush.fillStyle = FORCED.matches
        ? getComputedStyle(this.box).color
        : lookOf(set, this.dark, this.sets.length).color;
      for (const [start, end] of spans) {
        const from = Math.min(this.height - LEAST_PIXELS, Math.round(placeOf(start) * this.height));
        const size = Math.max(LEAST_PIXELS, Math.round(placeOf(end - 1) * this.height) - from);
        brush.fillRect((set % columns) * width, from, Math.max(2, width - 1), size);
        this.places.push({ token: start, from, to: from + size });
      }
    });
  }

  /** Shows which part of the text is in sight. */
  scrolled() {
    if (this.root.hidden) return;
    const { top, bottom } = this.stage.textWindow();
    const text = this.stage.text.getBoundingClientRect();
    /** @param {number} y */
    const part = (y) => Math.min(1, Math.max(0, (y - text.top) / text.height)) * this.height;
    this.window.style.transform = `translateY(${part(top)}px)`;
    this.window.style.height = `${Math.max(4, part(bottom) - part(top))}px`;
  }

  /** @param {MouseEvent} event */
  #clicked(event) {
    const y = event.clientY - this.box.getBoundingClientRect().top;
    /** @param {{from: number, to: number}} place */
    const away = ({ from, to }) => Math.max(0, from - y, y - to);
    const [nearest] = [...this.places].sort((a, b) => away(a) - away(b));
    const token =
      nearest && away(nearest) <= NEAR_PIXELS ? nearest.token : this.stage.view.tokenAtPart(y / this.height);
    if (token !== null) this.stage.places.go(token);
  }

  destroy() {
    this.waiting?.();
  }
}
