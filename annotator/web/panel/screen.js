/**
 * The panel's elements and what they show. It knows which session is on the screen and how it is looked at;
 * it changes nothing in it.
 */
import { Bar } from "./bar.js";
import { afterPaint, element, focused, scrollerOf, setText, viewportOf } from "./dom.js";
import { TextView } from "./draw.js";
import { Head } from "./head.js";
import { Marks } from "./marks.js";
import { holds, letterOf } from "./model.js";
import { Notices } from "./notices.js";
import { Preview } from "./preview.js";

let panels = 0;
const HINT_MS = 6000;

export class Screen {
  /**
   * @param {HTMLElement|ShadowRoot} parent
   * @param {boolean} readMode  a foreign or finished annotation is shown: no marking, no keys
   */
  constructor(parent, readMode) {
    this.readMode = readMode;
    this.session = null;
    this.busy = false;
    this.looks = { erase: false, only: false, hide: false, hovered: null, pinned: null };
    panels += 1;
    this.prefix = `annotator-${panels}`;
    this.parent = parent;
  }

  /** Builds the elements; `actions` are what their buttons do. */
  build(actions) {
    this.actions = actions;
    this.#makeText();
    this.head = new Head(actions);
    this.bar = new Bar(actions);
    this.notices = new Notices(actions);
    this.numbers = new Preview(actions);
    this.live = element("div", { class: "live", role: "status", "aria-live": "polite" });
    this.hintBox = element("div", { class: "hint", role: "alert", hidden: true, onclick: () => this.closeHint() });
    this.bar.root.append(this.hintBox);
    const main = element("div", { class: "main" }, this.notices.root, this.text, this.empty);
    const body = element("div", { class: "body" }, main, this.numbers.root);
    this.root = element("div", { class: "panel", tabIndex: -1 }, this.head.root, this.bar.root, body, this.live);
    if (this.readMode) this.root.classList.add("read");
    this.parent.append(this.root);
    this.view = new TextView(this.text);
    this.marks = new Marks(this.prefix, this.parent.getRootNode());
    this.updateTheme();
    this.#watchSize();
  }

  #makeText() {
    const description = "Arrow keys move from token to token, Space marks, digits choose the rationale set, question mark lists all keys.";
    this.text = element("div", {
      class: "text", tabIndex: 0, role: this.readMode ? "document" : "application",
      "aria-label": "Text to mark", "aria-description": this.readMode ? null : description,
      onfocus: () => this.moveCursor(null), onblur: () => this.view.showCursor(null),
    });
    this.empty = element("div", { class: "empty", hidden: true });
  }

  /** The cursor's box is placed by measured pixels, so it follows when the text is laid out anew. */
  #watchSize() {
    this.sizes = new ResizeObserver(() => {
      this.#placeBar();
      if (this.cursorShown) this.view.showCursor(this.session?.cursor ?? null);
    });
    this.sizes.observe(this.root);
  }

  /** The bar sticks below Streamlit's header, which lies over the scrolling page. */
  #placeBar() {
    const header = document.querySelector('[data-testid="stHeader"]');
    const box = header?.getBoundingClientRect();
    const { top } = viewportOf(scrollerOf(this.root));
    const covers = box && box.height > 0 && !/, 0\)$|^transparent$/.test(getComputedStyle(header).backgroundColor);
    this.covered = covers ? Math.max(0, box.bottom - top) : 0;
    this.root.style.setProperty("--panel-top", `${this.covered}px`);
  }

  /** Dark or light, by the colour that the page really has behind the panel. */
  updateTheme() {
    const dark = isDark(this.root);
    this.root.dataset.theme = dark ? "dark" : "light";
    this.dark = dark;
    if (this.session) this.refresh();
  }

  get readOnly() {
    return this.readMode || this.busy || !this.session?.open;
  }

  /** Draws another instance. */
  show(session) {
    this.session = session;
    this.busy = false;
    Object.assign(this.looks, { erase: false, only: false, hide: false, hovered: null, pinned: null });
    this.closeHint();
    this.root.classList.remove("busy", "nothing");
    this.empty.hidden = true;
    this.view.draw(session.work.instance, session.map);
    this.marks.reset(this.view);
    this.head.show(session);
    this.numbers.show(session);
    this.notices.show(session);
    this.refresh();
    this.#scrollTo(session.scroll);
    if (focused() === document.body || this.numbers.root.contains(focused())) this.focusText();
    this.moveCursor(null);
    this.announce(`${session.work.state === "returned" ? "Returned text" : "Text"} ${session.work.instance.key}, ${session.map.selectableCount} tokens`);
  }

  /** Back to where one was in this text; a new one from its top. */
  #scrollTo(scroll) {
    const scroller = scrollerOf(this.root);
    if (scroll !== null) scroller.scrollTop = scroll;
    else {
      const over = viewportOf(scroller).top + (this.covered || 0) - this.root.getBoundingClientRect().top;
      if (over > 0) scroller.scrollTop -= over;
    }
  }

  get scroll() {
    return scrollerOf(this.root).scrollTop;
  }

  /** Shows a sentence where there is no text. */
  showEmpty(sentence) {
    this.session = null;
    this.busy = false;
    this.root.classList.remove("busy");
    this.root.classList.add("nothing");
    this.marks.reset(this.view);
    this.text.replaceChildren();
    this.notices.show(null);
    this.empty.hidden = false;
    setText(this.empty, sentence);
    this.announce(sentence);
  }

  /** Waiting for the next text: the old one stays to be read, but nothing can be done to it. */
  setBusy(busy) {
    this.busy = busy;
    this.root.classList.toggle("busy", busy);
    if (this.session) this.refresh();
  }

  /** Shows the session's state: marks, bar and numbers. */
  refresh() {
    const { session } = this;
    if (!session) return;
    const { sets, current } = session.state;
    this.marks.paint(sets, (index) => this.#lookAt(index, current), this.dark);
    this.text.classList.toggle("only", this.looks.only);
    this.text.classList.toggle("erasing", this.looks.erase && !this.readOnly);
    this.bar.update(session, { looks: this.looks, readOnly: this.readOnly, readMode: this.readMode, busy: this.busy, dark: this.dark });
    this.numbers.update(session, { dark: this.dark, readOnly: this.readOnly });
    this.head.update(session);
    this.notices.update(session, { dark: this.dark });
  }

  /** @returns {import("./marks.js").Look} */
  #lookAt(index, current) {
    const { looks } = this;
    const chosen = this.readMode ? looks.pinned : current;
    if (looks.hide) return "hidden";
    if (looks.only) return index === chosen ? "alone" : "away";
    const lit = looks.hovered ?? chosen;
    if (looks.hovered !== null && index !== lit) return "dim";
    return index === lit ? "current" : "other";
  }

  hover(index) {
    if (this.looks.hovered === index) return;
    this.looks.hovered = index;
    if (!this.session) return;
    this.marks.paint(this.session.state.sets, (set) => this.#lookAt(set, this.session.state.current), this.dark);
  }

  preview(spans, kind) {
    this.marks.showPreview(spans, kind, this.session?.state.current ?? 0);
    if (spans.length) this.text.classList.add("dragging");
    else this.text.classList.remove("dragging");
  }

  /** The part of the window in which text can be seen: below the bar. */
  textWindow() {
    const { top, bottom } = viewportOf(scrollerOf(this.root));
    return { top: Math.max(top, this.bar.root.getBoundingClientRect().bottom), bottom };
  }

  focusText() {
    this.text.focus({ preventScroll: true });
  }

  /**
   * Shows the token cursor and its range, keeps it in sight and says it.
   * @param {boolean|null} speak  null: as after a mouse click, without box and words
   */
  moveCursor(speak = true) {
    const { session } = this;
    this.cursorShown = speak !== null && session !== null && session.cursor !== null;
    if (!this.cursorShown) return this.view?.showCursor(null);
    this.#showRange();
    this.#keepInSight(session.cursor);
    this.view.showCursor(session.cursor);
    if (speak) this.announce(this.#describe(session.cursor));
  }

  #showRange() {
    const { session } = this;
    const from = session.anchor === null ? null : session.map.rankOf(session.anchor);
    const spans = from === null ? [] : session.map.spansBetween(from, session.map.rankOf(session.cursor));
    this.marks.showPreview(spans, "range", 0);
  }

  #keepInSight(token) {
    const box = this.view.boxOf(token);
    if (!box) return;
    const { top, bottom } = this.textWindow();
    const margin = 40;
    const scroller = scrollerOf(this.root);
    if (box.top < top + margin) scroller.scrollTop -= top + margin - box.top;
    else if (box.bottom > bottom - margin) scroller.scrollTop += box.bottom - bottom + margin;
  }

  #describe(token) {
    const { map, state } = this.session;
    const inSets = state.sets.map((set, index) => (holds(set.spans, token) ? letterOf(index) : null)).filter(Boolean);
    const where = inSets.length ? `, in ${inSets.length > 1 ? "sets" : "set"} ${inSets.join(" and ")}` : "";
    const boxed = map.isTarget(token) ? ", target, cannot be marked" : "";
    return `${map.textOf([token, token + 1])}${where}${boxed}`;
  }

  announce(sentence) {
    setText(this.live, sentence);
  }

  /** A short sentence that lies over the text for a while; the text does not move. */
  hint(sentence, { stay = false } = {}) {
    clearTimeout(this.hintTimer);
    setText(this.hintBox, sentence);
    this.hintBox.hidden = false;
    if (!stay) this.hintTimer = setTimeout(() => this.closeHint(), HINT_MS);
  }

  closeHint() {
    clearTimeout(this.hintTimer);
    if (this.hintBox) this.hintBox.hidden = true;
  }

  markedAt() {
    this.closeHint();
    afterPaint(() => performance.mark("annotator:marked"));
  }

  destroy() {
    clearTimeout(this.hintTimer);
    this.sizes.disconnect();
    this.marks.destroy();
    this.root.remove();
  }
}

/** Whether the background behind an element is dark. */
function isDark(node) {
  const given = getComputedStyle(node).getPropertyValue("--st-background-color").trim();
  const probe = element("i", { style: `display:none;color:${CSS.supports("color", given) ? given : "Canvas"}` });
  node.append(probe);
  const [red, green, blue] = (getComputedStyle(probe).color.match(/[\d.]+/g) || [255, 255, 255]).map(Number);
  probe.remove();
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 128;
}
