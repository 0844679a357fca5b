/**
 * What Streamlit's page needs of a screen of ours: made once an element and told of each later script run, named in
 * the browser's tab and in the address.
 */
import { afterwards, focused } from "./dom.js";

/** The choice of projects in the sidebar (annotator/web/frame.py), and the menu's link to the page on the screen. */
const PROJECT_BOX = ".st-key-sidebar_project";
const LINK_HERE = '[data-testid="stSidebarNavLink"][aria-current="page"]';
/** The first screen comes by itself, wherever somebody may have gone meanwhile. */
let isFirst = true;

/**
 * A screen: `differs` says whether another one is asked for; `page` is its element where it is what the page is for.
 * @template D
 * @typedef {{differs: (data: D) => boolean, update: (data: D, trigger: Trigger) => void, destroy: () => void,
 *   readonly page?: HTMLElement|null}} Mounted
 */
/**
 * What Streamlit calls a component with.
 * @template D
 * @typedef {{data: D, parentElement: HTMLElement|ShadowRoot, setTriggerValue: Trigger}} Component
 */

/**
 * @template D  what the page's script gives it
 * @param {(data: D, parent: HTMLElement|ShadowRoot, trigger: Trigger) => Mounted<D>} make
 * @returns {(component: Component<D>) => () => void}
 *   what Streamlit calls at the first mount and again at every script run; it gives what takes the screen away again
 */
export function mountable(make) {
  /** @type {WeakMap<object, {screen: Mounted<D>, calls: number}>} */
  const mounted = new WeakMap();
  return ({ data, parentElement, setTriggerValue }) => {
    let made = mounted.get(parentElement);
    if (made?.screen.differs(data)) {
      made.screen.destroy();
      made = undefined;
    }
    if (made) made.screen.update(data, setTriggerValue);
    else {
      mounted.set(parentElement, (made = { screen: make(data, parentElement, setTriggerValue), calls: 0 }));
      if (wasChosen()) made.screen.page?.focus({ preventScroll: true });
      isFirst = false;
    }
    // Streamlit may clean up after an earlier call when a later one has already taken over.
    const call = (made.calls += 1);
    return () => {
      if (mounted.get(parentElement) !== made || made.calls !== call) return;
      mounted.delete(parentElement);
      made.screen.destroy();
    };
  };
}

/**
 * Whether the screen that was made now was chosen in the sidebar: in the menu, or in the closed choice of projects
 * (where its list is open somebody is choosing again). Then the keys are meant for the screen, and not for what it
 * was chosen with.
 */
function wasChosen() {
  const at = focused();
  if (at?.closest(LINK_HERE)) return !isFirst || cameFromAnotherPage();
  return !isFirst && Boolean(at?.closest(PROJECT_BOX)) && at?.getAttribute("aria-expanded") !== "true";
}

/** The first page of a visit may have been one without a screen. */
const cameFromAnotherPage = () =>
  new URL(performance.getEntriesByType("navigation")[0].name).pathname !== location.pathname;

// ---- The title of the browser's tab: the text's name, put before Streamlit's own title ("s-17 · Annotate ·
// Sentiment")

/**
 * The one that names the tab, which is the newest: Streamlit may make a screen before it takes the former away, and two
 * that each put their text before what the other wrote would never come to an end.
 * @type {TabTitle|null}
 */
let newest = null;

export class TabTitle {
  constructor() {
    newest?.destroy();
    newest = this;
    this.key = "";
    this.page = document.title;
    this.watcher = new MutationObserver(() => this.#follow());
    const title = document.querySelector("title");
    if (title) this.watcher.observe(title, { childList: true, characterData: true, subtree: true });
  }

  /**
   * Writing a title takes the browser milliseconds: it follows the text.
   * @param {string} key  of the text on the screen; "" where there is none
   */
  name(key) {
    this.key = key;
    afterwards(() => this.#write());
  }

  #follow() {
    if (document.title === this.written) return;
    this.page = document.title;
    this.#write();
  }

  #write() {
    if (this.isOver) return;
    this.written = this.key ? `${this.key} · ${this.page}` : this.page;
    if (document.title !== this.written) document.title = this.written;
  }

  destroy() {
    if (this.isOver) return;
    this.isOver = true;
    this.watcher.disconnect();
    if (document.title === this.written) document.title = this.page;
  }
}

// ---- The address of the page, which says what is on the screen

/** @typedef {Record<string, string|number|null|undefined>} Place  parameters; null and "" take one away */

/** @param {Place} place */
export function addressOf(place) {
  const said = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(place)) {
    if (value === null || value === undefined || value === "") said.delete(name);
    else said.set(name, String(value));
  }
  return `${location.pathname}?${said}`;
}

/**
 * Puts what is on the screen into the address, so that a view is shared by its link.
 * @param {Place} place
 * @param {boolean} [isStep]  the browser's way back leads to what was there before
 */
export function rememberAddress(place, isStep = false) {
  const address = addressOf(place);
  if (address === location.pathname + location.search) return;
  if (isStep) history.pushState(history.state, "", address);
  else history.replaceState(history.state, "", address);
}
