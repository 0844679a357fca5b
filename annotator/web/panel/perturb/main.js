/**
 * The Perturb screen: the component's entry. It asks its own routes; the address holds project, tab and text. See
 * docs/perturb.md.
 */
import { openKeys, signInLink } from "../shared/dialogs.js";
import {
  div,
  element,
  focused,
  inline,
  isCombined,
  isEntry,
  keyCap,
  KeyListener,
  keyOf,
  part,
  parts,
  pressable,
  scrollerOf,
  setText,
} from "../shared/dom.js";
import { applyReading } from "../shared/head.js";
import { at, Messages, SIGNED_OUT, sentenceOf } from "../shared/messages.js";
import { TabTitle, mountable, rememberAddress } from "../shared/streamlit.js";
import { coveredAbove, isDark } from "../shared/text_screen.js";
import { _ } from "../words/language.js";
import { Check } from "./check.js";
import { Mine } from "./mine.js";
import { Progress } from "./progress.js";
import { KEY_LIST, TABS } from "./words.js";
import { Write } from "./write.js";

const RETRY_MS = 3000;
const BELOW_BAR = 8;

/** @typedef {"write"|"check"|"mine"|"progress"} TabName */
/** @typedef {{write?: Write, check?: Check, mine?: Mine, progress?: Progress}} Views  those that the person may see */

export class Perturb {
  /** @param {PerturbData} data @param {HTMLElement|ShadowRoot} parent @param {Trigger} trigger */
  constructor(data, parent, trigger) {
    this.data = data;
    this.trigger = trigger;
    /** @type {PerturbMessages} */
    this.messages = new Messages(data.routes, data.csrf);
    this.messages.onsignedout = () => this.say(SIGNED_OUT);
    this.notice = element("div", { class: "pt-notice", role: "status" });
    this.live = element("div", { class: "live", role: "status", "aria-live": "polite" });
    this.tabs = element("div", { class: "tabs", role: "tablist", "aria-label": _("Perturb") });
    this.keys = pressable(
      "button plain",
      { title: _("List of keys (?)"), onclick: () => openKeys(this.root, KEY_LIST) },
      _("Keys"),
      keyCap("?"),
    );
    this.content = element("div", { class: "tab-content", role: "tabpanel" });
    /** @type {HTMLElement} */
    this.root = element(
      "div",
      { class: "panel perturb", tabIndex: -1 },
      element("h1", { class: "heard" }, _("Perturb")),
      div("tab-row", this.tabs, this.notice, this.keys),
      this.content,
      this.live,
    );
    parent.append(this.root);
    /** @type {PerturbRules|null}  null until they have come */
    this.rules = null;
    /** @type {Views} */
    this.views = {};
    /** @type {Partial<Record<TabName, HTMLButtonElement>>} */
    this.buttons = {};
    /** @type {TabName|null}  the tab that is open, and what it shows */
    this.tab = null;
    /** @type {TabName|null}  the one whose key was pressed before the tabs were there */
    this.wanted = null;
    /** @type {PerturbView|null} */
    this.view = null;
    /** @type {Set<PerturbView>}  those that were opened once */
    this.started = new Set();
    this.dark = false;
    this.closed = false;
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.timer = undefined;
    /** @type {HTMLElement|null} */
    this.scroller = null;
    this.tabTitle = new TabTitle();
    applyReading(this.root);
    this.updateTheme();
    this.keyboard = new KeyListener(this.root, (event, target) => this.#key(event, target));
    this.sizes = new ResizeObserver(() => this.#measure());
    this.sizes.observe(this.root);
    this.leaving = new AbortController();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.updateTheme(), {
      signal: this.leaving.signal,
    });
    this.#begin();
  }

  async #begin() {
    const answer = await this.messages.get("rules", { project: this.data.project });
    if (this.closed) return;
    if (answer.status !== 200) {
      this.say(sentenceOf(answer));
      if (answer.status === 0) this.timer = setTimeout(() => this.#begin(), RETRY_MS);
      return;
    }
    this.say("");
    this.rules = answer.body;
    /** @type {PerturbParts} */
    const made = { data: this.data, rules: this.rules, messages: this.messages, stage: this };
    const { may } = this.rules;
    if (may.write) this.views.write = new Write(made);
    if (may.check) this.views.check = new Check(made);
    if (may.write) this.views.mine = new Mine(made);
    this.views.progress = new Progress(made);
    this.#drawTabs(this.rules);
    const asked = new URLSearchParams(location.search);
    const there = this.#names;
    const { wanted } = this;
    if (wanted && there.includes(wanted)) return this.open(wanted);
    const tab = there.find((name) => name === asked.get("tab")) ?? there[0];
    return this.open(tab, Number(asked.get(tab === "check" || tab === "mine" ? "perturbation" : "instance")) || null);
  }

  /** The tabs that there are, in their order. */
  get #names() {
    return TABS.map(([name]) => name).filter((name) => this.views[name]);
  }

  /** @param {PerturbRules} rules */
  #drawTabs(rules) {
    for (const [name, title, key] of TABS.filter(([name]) => this.views[name])) {
      const count = inline("tab-count");
      this.buttons[name] = pressable(
        "tab",
        {
          role: "tab",
          title: `${title} (${key})`,
          "aria-keyshortcuts": key,
          onclick: () => this.open(name),
          onkeydown: (event) => this.#arrow(event),
        },
        title,
        count,
        keyCap(key),
      );
    }
    this.tabs.replaceChildren(...Object.values(this.buttons));
    this.#count(rules.waiting);
  }

  /** @param {KeyboardEvent} event */
  #arrow(event) {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!by || !this.tab) return;
    const all = this.#names;
    const next = all[(all.indexOf(this.tab) + by + all.length) % all.length];
    this.open(next);
    this.buttons[next]?.focus();
  }

  /** @param {Waiting} given */
  #count({ to_check: toCheck, returned }) {
    const { check, mine } = this.buttons;
    if (check) setText(part(check, ".tab-count", HTMLElement), toCheck ? String(toCheck) : "");
    if (mine) setText(part(mine, ".tab-count", HTMLElement), returned ? String(returned) : "");
  }

  /**
   * Opens a tab, at a text or a version where one is named.
   * @param {TabName} name
   * @param {number|null} [start]
   */
  open(name, start = null) {
    /** @type {PerturbView|undefined} */
    const view = this.views[name];
    if (!view) return;
    this.tab = name;
    this.view = view;
    for (const [other, made] of Object.entries(this.buttons)) {
      made.setAttribute("aria-selected", String(other === name));
      made.tabIndex = other === name ? 0 : -1;
    }
    this.say("");
    this.content.setAttribute("aria-label", name);
    this.content.replaceChildren(view.root);
    this.remember();
    if (start || !this.started.has(view) || view.startsAnew) {
      this.started.add(view);
      view.start(start);
    }
  }

  /** What is brought into view, by us or by the browser for the caret, stops below the bar and not behind it. */
  #measure() {
    const covered = coveredAbove(this.root);
    this.root.style.setProperty("--panel-top", `${covered}px`);
    const bar = Math.max(0, ...parts(this.root, ".bar", HTMLElement).map(({ offsetHeight }) => offsetHeight));
    const scroller = scrollerOf(this.root);
    if (!(scroller instanceof HTMLElement)) return;
    this.scroller = scroller;
    scroller.style.scrollPaddingTop = `${covered + bar + BELOW_BAR}px`;
  }

  /** How many wait may be others now: here, and in the sidebar, for which the script runs again. */
  async progress() {
    const answer = await this.messages.get("rules", { project: this.data.project });
    if (answer.status !== 200 || this.closed) return;
    this.#count(answer.body.waiting);
    this.trigger("progress", answer.body.waiting);
  }

  /** The address and the browser's tab say what is on screen. */
  remember() {
    if (this.closed) return;
    this.tabTitle.name(this.view?.shownKey ?? "");
    const { instance, perturbation } = this.view ?? {};
    rememberAddress({ project: this.data.project, tab: this.tab, instance, perturbation });
  }

  /**
   * A sentence above the work, with what can be done about it.
   * @param {string} words
   * @param {HTMLElement[]} [buttons]
   */
  say(words, buttons = []) {
    // The address says already what is on the screen.
    const ways = words === SIGNED_OUT ? [signInLink(() => location.pathname + location.search)] : buttons;
    this.notice.classList.remove("done");
    this.notice.replaceChildren(...(words ? [element("span", {}, words), ...ways] : []));
  }

  /**
   * What was done; it goes when one begins on something else.
   * @param {string} words
   */
  done(words) {
    this.say(words);
    this.notice.classList.toggle("done", Boolean(words));
  }

  clearDone() {
    if (this.notice.classList.contains("done")) this.say("");
  }

  /**
   * The focus leaves a part that goes out of sight, at once: until the next frame a hidden field would still take the
   * keys.
   * @param {HTMLElement} place
   */
  rest(place) {
    if (place.contains(focused())) this.root.focus({ preventScroll: true });
  }

  /** @param {string} words */
  announce(words) {
    setText(this.live, words);
  }

  /**
   * Where an approved version is annotated, or looked at.
   * @param {number} instance
   */
  link(instance) {
    if (!this.rules?.may.write) return "";
    return element(
      "a",
      { href: at(`/annotate?project=${this.data.project}&instance=${instance}`), target: "_self" },
      _("open in Annotate"),
    );
  }

  /** @param {KeyboardEvent} event @param {EventTarget|null} target */
  #key(event, target) {
    const key = keyOf(event);
    if (!this.view) return !isCombined(event) && this.#want(key);
    const isTick = target instanceof HTMLInputElement && ["checkbox", "radio"].includes(target.type);
    const isTyping = isEntry(target) && !isTick;
    if (this.view.key?.(event, isTyping)) return true;
    if (event.key === "Escape" && isTyping) return (this.root.focus({ preventScroll: true }), true);
    if (isTyping || isCombined(event)) return false;
    const tab = TABS.find(([name, , of]) => of === key && this.views[name]);
    if (tab) return (this.open(tab[0]), true);
    if (key !== "?") return false;
    openKeys(this.root, KEY_LIST);
    return true;
  }

  /** @param {string} key  pressed before it is known which tabs there are */
  #want(key) {
    const tab = TABS.find(([, , of]) => of === key);
    if (tab) this.wanted = tab[0];
    return tab !== undefined;
  }

  /** What has the keys of the page. */
  get page() {
    return this.root;
  }

  /** @param {PerturbData} data */
  differs(data) {
    return data.project !== this.data.project || data.user !== this.data.user;
  }

  /** @param {PerturbData} data @param {Trigger} trigger */
  update(data, trigger) {
    this.trigger = trigger;
    this.data.csrf = this.messages.csrf = data.csrf;
    this.updateTheme();
  }

  /** @returns {PerturbView[]} */
  get #opened() {
    return Object.values(this.views);
  }

  updateTheme() {
    this.dark = isDark(this.root);
    this.root.dataset.theme = this.dark ? "dark" : "light";
    for (const view of this.#opened) view.theme?.(this.dark);
  }

  destroy() {
    this.closed = true;
    clearTimeout(this.timer);
    this.leaving.abort();
    this.sizes.disconnect();
    this.scroller?.style.removeProperty("scroll-padding-top");
    this.keyboard.destroy();
    this.tabTitle.destroy();
    for (const view of this.#opened) view.destroy?.();
    this.root.remove();
  }
}

export default mountable((data, parent, trigger) => new Perturb(data, parent, trigger));
