/**
 * What the screens with a text have in common: the text and its marks, the theme, the place of the sticky bar, scrolling,
 * and the ways to say something. A screen adds its own parts around the text and decides what is marked.
 */
import { afterPaint, element, scrollerOf, setText, viewportOf } from "./dom.js";
import { TextView } from "./draw.js";
import { Marks } from "./marks.js";

let stages = 0;
const HINT_MS = 6000;
/** Pixels that stay between a token one has moved to and the edge of what can be seen. */
const MARGIN = 40;

export class Stage {
  /** @param {HTMLElement|ShadowRoot} parent */
  constructor(parent) {
    this.session = null;
    this.busy = false;
    stages += 1;
    this.prefix = `annotator-${stages}`;
    this.parent = parent;
  }

  /** The parts that every screen has. @param {Object} properties  of the text's element */
  makeParts(properties) {
    this.text = element("div", { class: "text", tabIndex: 0, ...properties });
    this.empty = element("div", { class: "empty", hidden: true });
    this.live = element("div", { class: "live", role: "status", "aria-live": "polite" });
    this.hintBox = element("div", { class: "hint", role: "alert", hidden: true, onclick: () => this.closeHint() });
  }

  /** Puts the screen into the page; `root` holds the parts, `bar` is the part that stays in view. */
  raise(root, bar) {
    this.root = root;
    this.barRoot = bar;
    bar.append(this.hintBox);
    this.parent.append(root);
    this.view = new TextView(this.text);
    this.marks = new Marks(this.prefix, this.parent.getRootNode());
    this.updateTheme();
    this.sizes = new ResizeObserver(() => this.resized());
    this.sizes.observe(root);
  }

  resized() {
    this.#placeBar();
  }

  /** The bar sticks below Streamlit's header, which lies over the scrolling page. */
  #placeBar() {
    this.covered = coveredAbove(this.root);
    this.root.style.setProperty("--panel-top", `${this.covered}px`);
  }

  /** Dark or light, by the colour that the page really has behind the panel. */
  updateTheme() {
    const dark = isDark(this.root);
    this.root.dataset.theme = dark ? "dark" : "light";
    this.dark = dark;
    if (this.session) this.refresh();
  }

  /** Shows the session's state; each screen knows how. */
  refresh() {}

  /** Puts another text on the stage, without marks. */
  draw(session) {
    this.session = session;
    this.busy = false;
    this.closeHint();
    this.root.classList.remove("busy", "nothing");
    this.empty.hidden = true;
    this.view.draw(session.work.instance, session.map);
    this.marks.reset(this.view);
  }

  /** Shows a sentence where there is no text. */
  showEmpty(sentence) {
    this.session = null;
    this.busy = false;
    this.root.classList.remove("busy");
    this.root.classList.add("nothing");
    this.marks.reset(this.view);
    this.text.replaceChildren();
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

  /** Back to where one was in this text; a new one from its top. */
  scrollTo(scroll) {
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

  /** The part of the window in which text can be seen: below the bar. */
  textWindow() {
    const { top, bottom } = viewportOf(scrollerOf(this.root));
    return { top: Math.max(top, this.barRoot.getBoundingClientRect().bottom), bottom };
  }

  keepInSight(token) {
    const box = this.view.boxOf(token);
    if (!box) return;
    const { top, bottom } = this.textWindow();
    const scroller = scrollerOf(this.root);
    if (box.top < top + MARGIN) scroller.scrollTop -= top + MARGIN - box.top;
    else if (box.bottom > bottom - MARGIN) scroller.scrollTop += box.bottom - bottom + MARGIN;
  }

  focusText() {
    this.text.focus({ preventScroll: true });
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

/** How many pixels of what scrolls with an element Streamlit's header covers. */
export function coveredAbove(root) {
  const header = document.querySelector('[data-testid="stHeader"]');
  const box = header?.getBoundingClientRect();
  const covers = box && box.height > 0 && !/, 0\)$|^transparent$/.test(getComputedStyle(header).backgroundColor);
  return covers ? Math.max(0, box.bottom - viewportOf(scrollerOf(root)).top) : 0;
}

/** Whether the background behind an element is dark. */
export function isDark(node) {
  const given = getComputedStyle(node).getPropertyValue("--st-background-color").trim();
  const probe = element("i", { style: `display:none;color:${CSS.supports("color", given) ? given : "Canvas"}` });
  node.append(probe);
  const [red, green, blue] = (getComputedStyle(probe).color.match(/[\d.]+/g) || [255, 255, 255]).map(Number);
  probe.remove();
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 128;
}
