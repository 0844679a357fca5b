/**
 * What the screens with a text have in common: the text and its marks, the theme, the place of the sticky bar,
 * scrolling, and the ways to say something. A screen adds its own parts around the text and decides what is marked.
 */
import { _ } from "../words/language.js";
import {
  afterPaint,
  afterwards,
  button,
  div,
  element,
  focused,
  pageBegan,
  parts,
  scrollerOf,
  setText,
  treeOf,
  viewportOf,
} from "./dom.js";
import { QuestionLine, TextSettings, applyReading } from "./head.js";
import { MarkMap, Marks } from "./marks.js";
import { nameOf } from "./naming.js";
import { Navigation } from "./navigation.js";
import { TabTitle } from "./streamlit.js";
import { TextView } from "./text_drawing.js";

let stages = 0;
/** As in panel.css: a window in which each row of the bar is one line; fingers, which need larger targets. */
const LOW = matchMedia("(max-height: 600px)");
const FINGERS = matchMedia("(hover: none) and (pointer: coarse)");
const HINT_MS = 6000;
/** What of the bar stays in sight on a phone, where it sticks by its last line (panel.css). */
const STAY = ".tools-row > .sets, .ways > .primary, .views-row > .views";
/** Pixels that stay between a token one has moved to and the edge of what can be seen. */
const MARGIN = 40;
/** Height of the line with the question in panel.css. */
const ASKED_PIXELS = 32;
/** In so many frames the place in the text is held while it is laid out anew. */
const FRAMES = 10;

/**
 * Parts of a screen; `bar` stays in view.
 * @template {Session|ReviewSession} S
 * @typedef {{head: import("./head.js").Head, bar: HTMLElement, notices: import("./dialogs.js").Notices<S>}} StageParts
 */

/** @template {Session|ReviewSession} S */
export class TextScreen {
  /**
   * @param {HTMLElement|ShadowRoot} parent
   * @param {string} className  of the screen
   * @param {StageParts<S>} parts
   * @param {Object<string, any>} properties  of the text's element
   * @param {boolean} [isPage]  whether the page is this screen's, so that it names the browser's tab
   */
  constructor(parent, className, { head, bar, notices }, properties, isPage = true) {
    /** @type {S|null} */
    this.session = null;
    this.busy = false;
    /** @type {Record<string, number>} */
    this.lengths = {};
    this.covered = 0;
    stages += 1;
    this.prefix = `annotator-${stages}`;
    this.parent = parent;
    this.head = head;
    this.barRoot = bar;
    this.notices = notices;
    this.tab = isPage ? new TabTitle() : null;
    this.text = element("div", { class: "text", tabIndex: 0, ...properties });
    this.empty = element("div", { class: "empty", hidden: true });
    this.live = element("div", { class: "live", role: "status", "aria-live": "polite" });
    this.hintBox = element("div", { class: "hint", role: "alert", hidden: true, onclick: () => this.closeHint() });
    this.asked = new QuestionLine(() => this.foldQuestion());
    this.places = new Navigation(this);
    this.markMap = new MarkMap(this);
    this.root = element("div", { class: className, tabIndex: -1 });
    this.view = new TextView(this.text);
    this.marks = new Marks(this.prefix, treeOf(parent));
    this.reading = new TextSettings(this.root, () => this.#resetText());
    this.dark = false;
    this.room = { width: 0, lines: Infinity };
    this.sizes = new ResizeObserver(() => this.resized());
    this.scrolled = () => this.#lookSoon();
    /** @type {import("./guidelines.js").Guidelines|null}  beside the text, where the page has them */
    this.guidelines = null;
    /** @type {Element|null} */
    this.scrollerFound = null;
    /** @type {number|null}  the frame in which one looks where one is */
    this.looking = null;
    /** @type {number|undefined}  the frame in which the place in the text is held */
    this.held = undefined;
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.hintTimer = undefined;
    /** @type {((session: S) => void)|null}  another text is on the screen */
    this.onshow = null;
  }

  /**
   * Puts the screen with its parts into the page.
   * @param {HTMLElement} body  holds the text, and the map at its side
   * @param {HTMLElement[]} around  the parts in their order, the body among them
   */
  raise(body, around) {
    this.root.append(...around);
    this.barRoot.append(div("over", this.asked.root, this.hintBox));
    body.append(this.markMap.root);
    this.parent.append(this.root);
    this.view.setting = this.reading.value;
    this.updateTheme();
    this.#measure();
    for (const part of [this.root, this.barRoot]) this.sizes.observe(part);
    document.addEventListener("scroll", this.scrolled, { passive: true, capture: true });
  }

  /**
   * Another place in the page, with everything as it is: where one reads, what has the focus.
   * @param {HTMLElement|ShadowRoot} parent
   */
  moveTo(parent) {
    const { scroll } = this;
    const active = focused();
    this.parent = parent;
    // Not moveBefore: Chromium 156 then lays nothing out that is moved from one shadow tree to another.
    parent.append(this.root);
    this.marks.moveTo(treeOf(parent));
    this.scrollerFound = null;
    this.updateTheme();
    this.resized();
    this.scroller.scrollTop = scroll;
    if (focused() !== active && active instanceof HTMLElement && this.root.contains(active))
      active.focus({ preventScroll: true });
  }

  resized() {
    this.#placeBar();
    if (this.#measure() && this.session) this.refresh();
    this.markMap.resized();
    this.#lookSoon();
  }

  /**
   * How much room the bar has: its width, and how many lines its labels may take.
   * @returns {boolean} whether that is new
   */
  #measure() {
    const before = this.room;
    const lines = LOW.matches ? 1 : FINGERS.matches ? 2 : Infinity;
    this.room = { width: this.root.clientWidth, lines };
    return before.width !== this.room.width || before.lines !== lines;
  }

  /**
   * The bar sticks below Streamlit's header, which lies over the scrolling page; the map takes what is left of the
   * window.
   */
  #placeBar() {
    this.covered = coveredAbove(this.root);
    const { height } = viewportOf(this.scroller);
    const stay = [...this.barRoot.querySelectorAll(STAY)].map((part) =>
      part instanceof HTMLElement ? part.offsetTop : 0,
    );
    this.#set("--panel-top", this.covered);
    this.#set("--corner", this.covered ? 0 : cornerOf(this.root));
    this.#set("--away", Math.max(0, ...stay));
    const away = this.covered - parseFloat(getComputedStyle(this.barRoot).top);
    const bar = this.barRoot.offsetHeight - (away || 0);
    this.#set("--bar-height", bar);
    this.#set("--text-window", Math.max(0, height - this.covered - bar));
  }

  /** How much of the window is the text's when the bar sticks to its upper edge. */
  get textRoom() {
    return this.lengths["--text-window"] ?? 0;
  }

  /**
   * A length that the style sheet reads; the same one again costs nothing.
   * @param {string} name
   * @param {number} pixels
   */
  #set(name, pixels) {
    if (this.lengths[name] === pixels) return;
    this.lengths[name] = pixels;
    this.root.style.setProperty(name, `${pixels}px`);
  }

  /** What depends on the place in the text follows in the next frame. */
  #lookSoon() {
    this.looking ??= requestAnimationFrame(() => this.#look());
  }

  #look() {
    this.looking = null;
    if (!this.session || !this.root.isConnected) return;
    this.asked.place(viewportOf(this.scroller).top + this.covered, this.barRoot);
    this.markMap.scrolled();
  }

  /** What is asked of the text: its own question or claim, else the project's question. */
  showQuestion() {
    if (!this.session) return;
    const { map, work } = this.session;
    const own = map.order.filter((index) => map.asks(index));
    const asked = own.map((index) => ({
      title: map.segments[index].title,
      words: map.segments[index].text,
      dir: map.directions[index],
      lang: work.instance.language,
    }));
    const head = this.repeatsRule ? [this.head.question] : [];
    this.asked.show(asked, own.length ? own.flatMap((index) => this.view.bodies[index] ?? []) : head, this.head.words);
    this.#set("--asked-room", this.asked.sources.length ? ASKED_PIXELS : 0);
    afterwards(() => this.#look());
  }

  /** Whether the project's question is kept in sight where the text asks nothing itself. */
  get repeatsRule() {
    return true;
  }

  /** Unfolds what is asked, or folds it; where it is in sight anyway it is said. */
  foldQuestion() {
    if (this.asked.root.hidden) return this.announce(this.asked.words);
    this.asked.fold();
    this.announce(this.asked.isFolded ? _("folded") : this.asked.words);
  }

  /** The text is written in another size: the line one reads stays where it is on the screen. */
  #resetText() {
    this.reflow(() => {
      applyReading(this.root, this.reading.value);
      this.view.setting = this.reading.value;
    });
    this.resized();
    this.announce(this.reading.words);
  }

  /**
   * What scrolls the text; it is looked for once, since that makes the browser work out the style of everything around.
   */
  get scroller() {
    if (!this.scrollerFound?.isConnected) this.scrollerFound = scrollerOf(this.root);
    return this.scrollerFound;
  }

  /**
   * Makes a change of the layout without losing the place in the text.
   * @param {() => void} change
   */
  reflow(change) {
    const token = this.session?.map.readable ? this.session.map.tokenAtRank(this.firstInSight()) : null;
    const before = token === null ? null : this.view.boxOf(token)?.top;
    change();
    if (token === null || before === null || before === undefined) return;
    /** @param {number} frames */
    const hold = (frames) => {
      const box = this.session && this.view.boxOf(token);
      if (!box) return;
      this.scrollBy(box.top - before);
      if (frames) this.held = requestAnimationFrame(() => hold(frames - 1));
    };
    this.#letGo();
    hold(FRAMES);
  }

  #letGo() {
    if (this.held !== undefined) cancelAnimationFrame(this.held);
  }

  /** Dark or light, by the colour that the page really has behind the panel. */
  updateTheme() {
    const dark = isDark(this.root);
    this.root.dataset.theme = dark ? "dark" : "light";
    this.dark = dark;
    this.guidelines?.paint();
    if (this.session) this.refresh();
  }

  /** Shows the session's state; each screen knows how. */
  refresh() {}

  /**
   * Puts another text on the stage, without marks.
   * @param {S} session
   */
  draw(session) {
    pageBegan();
    this.session = session;
    this.busy = false;
    this.closeHint();
    this.root.classList.remove("busy", "nothing");
    this.empty.hidden = true;
    this.view.draw(session.work.instance, session.map);
    this.marks.reset(this.view);
    this.places.reset();
    this.markMap.reset();
  }

  /**
   * Puts another text on the stage with all that is said of it.
   * @param {S} session
   * @param {{show: (session: S) => void}} aside  what stands beside the text
   * @param {number|null} scroll  where one was in it
   */
  present(session, aside, scroll) {
    this.draw(session);
    this.head.show(session);
    aside.show(session);
    this.notices.show(session);
    this.refresh();
    this.showQuestion();
    this.scrollTo(scroll);
    this.tab?.name(nameOf(session.work.instance));
  }

  /** What is asked, and the boxes above the text. @param {S} session */
  updateWords(session) {
    this.head.update(session);
    this.asked.update(this.head.words);
    this.notices.update(session, { dark: this.dark });
  }

  /** @param {string} sentence */
  showEmpty(sentence) {
    pageBegan();
    this.session = null;
    this.busy = false;
    this.root.classList.remove("busy");
    this.root.classList.add("nothing");
    this.marks.reset(this.view);
    this.text.replaceChildren();
    this.asked.root.hidden = true;
    this.markMap.reset();
    this.empty.hidden = false;
    this.empty.replaceChildren(sentence);
    this.announce(sentence);
    this.head.showNothing();
    this.notices.show(null);
    this.tab?.name("");
  }

  /** @param {string} words @param {() => void} onclick */
  offer(words, onclick) {
    this.empty.append(element("p", {}, button(words, { onclick })));
  }

  /**
   * Waiting for the next text: the old one stays to be read, but nothing can be done to it.
   * @param {boolean} busy
   */
  setBusy(busy) {
    this.busy = busy;
    this.root.classList.toggle("busy", busy);
    if (this.session) this.refresh();
  }

  /**
   * Back to where one was in this text; a new one from its top.
   * @param {number|null} scroll
   */
  scrollTo(scroll) {
    const { scroller } = this;
    if (scroll !== null) scroller.scrollTop = scroll;
    else {
      const over = viewportOf(scroller).top + this.covered - this.root.getBoundingClientRect().top;
      if (over > 0) scroller.scrollTop -= over;
    }
  }

  /** @param {number} pixels */
  scrollBy(pixels) {
    this.scroller.scrollTop += pixels;
  }

  get scroll() {
    return this.scroller.scrollTop;
  }

  /**
   * The part of the window in which text can be seen: below the bar and the line with the question, above what is
   * urgent.
   */
  textWindow() {
    const { urgent } = this.notices;
    const { top, bottom } = viewportOf(this.scroller);
    const first = Math.max(top, this.barRoot.getBoundingClientRect().bottom + this.asked.height);
    return {
      top: first,
      bottom: urgent.firstChild ? Math.max(first, Math.min(bottom, urgent.getBoundingClientRect().top)) : bottom,
    };
  }

  /** The rank of the first token in sight. */
  firstInSight() {
    if (!this.session) return 0;
    const { top, bottom } = this.textWindow();
    const box = this.text.getBoundingClientRect();
    const x = this.session.map.direction === "rtl" ? box.right - 4 : box.left + 4;
    const place = this.view.placeNear(x, Math.max(top, box.top) + 6, top, bottom);
    return place ? Math.min(place.low, this.session.map.readable - 1) : 0;
  }

  /** Shows where a jump led; screens with a cursor show it. */
  showPlace() {}

  /** @param {number} token */
  keepInSight(token) {
    const box = this.view.boxOf(token);
    if (!box) return;
    const { top, bottom } = this.textWindow();
    const { scroller } = this;
    if (box.top < top + MARGIN) scroller.scrollTop -= top + MARGIN - box.top;
    else if (box.bottom > bottom - MARGIN) scroller.scrollTop += box.bottom - bottom + MARGIN;
  }

  focusText() {
    this.text.focus({ preventScroll: true });
  }

  /** @param {string} sentence */
  announce(sentence) {
    setText(this.live, sentence);
  }

  /**
   * A short sentence that lies over the text for a while; the text does not move.
   * @param {string} sentence
   * @param {{stay?: boolean}} [given]
   */
  hint(sentence, { stay = false } = {}) {
    clearTimeout(this.hintTimer);
    setText(this.hintBox, sentence);
    this.hintBox.style.setProperty("--clear", `${this.#buttonsBelowBar()}px`);
    this.hintBox.hidden = false;
    if (!stay) this.hintTimer = setTimeout(() => this.closeHint(), HINT_MS);
  }

  /** How far the buttons above the text reach down from the bar: what is said for a while does not lie over them. */
  #buttonsBelowBar() {
    const { bottom } = this.barRoot.getBoundingClientRect();
    const edges = parts(this.root, ".notices .notice .button", HTMLElement).map(
      (made) => made.getBoundingClientRect().bottom,
    );
    return Math.min(Math.max(0, ...edges.map((edge) => edge - bottom)), this.textRoom / 2);
  }

  closeHint() {
    clearTimeout(this.hintTimer);
    this.hintBox.hidden = true;
  }

  markedAt() {
    this.closeHint();
    afterPaint(() => performance.mark("annotator:marked"));
  }

  destroy() {
    this.tab?.destroy();
    clearTimeout(this.hintTimer);
    if (this.looking !== null) cancelAnimationFrame(this.looking);
    this.#letGo();
    document.removeEventListener("scroll", this.scrolled, { capture: true });
    this.places.stop();
    this.markMap.destroy();
    this.sizes.disconnect();
    this.marks.destroy();
    this.guidelines?.destroy();
    this.root.remove();
  }
}

/**
 * How many pixels of what scrolls with an element Streamlit's header covers.
 * @param {HTMLElement} root
 */
export function coveredAbove(root) {
  const header = document.querySelector('[data-testid="stHeader"]');
  const box = header?.getBoundingClientRect();
  const covers =
    header && box && box.height > 0 && !/, 0\)$|^transparent$/.test(getComputedStyle(header).backgroundColor);
  return covers ? Math.max(0, box.bottom - viewportOf(scrollerOf(root)).top) : 0;
}

/**
 * How far Streamlit's button for the sidebar reaches over an element, where its header lets the page show through.
 * @param {HTMLElement} root
 */
function cornerOf(root) {
  const box = document.querySelector('[data-testid="stExpandSidebarButton"]')?.getBoundingClientRect();
  return box?.width ? Math.max(0, Math.round(box.right - root.getBoundingClientRect().left + 6)) : 0;
}

/** @param {HTMLElement} node */
export function isDark(node) {
  const given = getComputedStyle(node).getPropertyValue("--st-background-color").trim();
  const probe = element("i", { style: `display:none;color:${CSS.supports("color", given) ? given : "Canvas"}` });
  node.append(probe);
  const [red, green, blue] = (getComputedStyle(probe).color.match(/[\d.]+/g) || [255, 255, 255]).map(Number);
  probe.remove();
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 128;
}
