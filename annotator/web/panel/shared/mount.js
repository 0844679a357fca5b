/** What a component of Streamlit needs around a screen of ours: made once an element, told of each later script run. */
import { focused } from "./dom.js";

/** The choice of projects in the sidebar (annotator/web/frame.py). */
const PROJECT_BOX = ".st-key-sidebar_project";
/** The first screen comes by itself, wherever somebody may have gone meanwhile. */
let isFirst = true;

/**
 * @param {(data: Object, parent: HTMLElement|ShadowRoot, trigger: (name: string, value: any) => void) => Object} make
 *   makes the screen: an object with `differs(data)` (whether another screen is asked for), `update(data, trigger)` and
 *   `destroy()`; `page` is its element where the screen is what the page is for
 * @typedef {{data: Object, parentElement: HTMLElement|ShadowRoot, setTriggerValue: Function}} Component
 * @returns {(component: Component) => () => void}
 *   what Streamlit calls at the first mount and again at every script run; it gives what takes the screen away again
 */
export function mountable(make) {
  /** @type {WeakMap<object, {screen: Object, calls: number}>} */
  const mounted = new WeakMap();
  return ({ data, parentElement, setTriggerValue }) => {
    let made = mounted.get(parentElement);
    if (made?.screen.differs(data)) {
      made.screen.destroy();
      made = null;
    }
    if (made) made.screen.update(data, setTriggerValue);
    else {
      mounted.set(parentElement, (made = { screen: make(data, parentElement, setTriggerValue), calls: 0 }));
      if (!isFirst) takeFocus(made.screen.page);
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
 * A screen that is made while the focus is in the closed choice of projects is the one that was chosen there: the keys
 * are meant for it, and the box would search itself for them. Where the list is open somebody is choosing again.
 */
function takeFocus(page) {
  const at = focused();
  if (at?.closest(PROJECT_BOX) && at.getAttribute("aria-expanded") !== "true") page?.focus({ preventScroll: true });
}
