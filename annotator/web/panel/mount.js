/** What a component of Streamlit needs around a screen of ours: made once an element, told of each later script run. */

/**
 * @param {(data: Object, parent: HTMLElement|ShadowRoot, trigger: (name: string, value: any) => void) => Object} make
 *   makes the screen: an object with `differs(data)` (whether another screen is asked for), `update(data, trigger)` and `destroy()`
 * @returns {(component: {data: Object, parentElement: HTMLElement|ShadowRoot, setTriggerValue: Function}) => () => void}
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
    else mounted.set(parentElement, (made = { screen: make(data, parentElement, setTriggerValue), calls: 0 }));
    // Streamlit may clean up after an earlier call when a later one has already taken over.
    const call = (made.calls += 1);
    return () => {
      if (mounted.get(parentElement) !== made || made.calls !== call) return;
      mounted.delete(parentElement);
      made.screen.destroy();
    };
  };
}
