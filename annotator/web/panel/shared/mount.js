/** What a component of Streamlit needs around a screen of ours: made once an element, told of each later script run. */
import { focused } from "./dom.js";

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
