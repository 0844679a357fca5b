/**
 * Streamlit draws what a popover holds at the end of the document, so that Tab went from its button past it. Here it
 * comes next after the button, in both directions; Escape closes it, as Streamlit has it.
 */

const BUTTON = "[data-testid=stPopoverButton]";
const BODY = "[data-testid=stPopoverBody]";
const STOPS = "a[href], button, input, select, textarea, [tabindex]";

/**
 * What Tab comes to in a popover; while the focus is elsewhere, Streamlit has taken it out of the order and keeps what
 * was there as `data-tabindex`.
 * @param {Element} body
 */
const stopsOf = (body) =>
  [.../** @type {NodeListOf<HTMLElement>} */ (body.querySelectorAll(STOPS))].filter(
    (stop) =>
      (stop.tabIndex >= 0 || "tabindex" in stop.dataset) && !stop.matches(":disabled") && stop.getClientRects().length,
  );

/** @param {KeyboardEvent} event */
function follow(event) {
  const [body] = document.querySelectorAll(BODY);
  /** @type {HTMLElement|null} */
  const button = document.querySelector(`${BUTTON}[aria-expanded=true]`);
  if (event.key !== "Tab" || !body || !button) return;
  const stops = stopsOf(body);
  const at = document.activeElement;
  if (at === button && !event.shiftKey && stops.length) {
    event.preventDefault();
    stops[0].focus();
  } else if (at === stops[0] && event.shiftKey) {
    event.preventDefault();
    button.focus();
  } else if (at === stops[stops.length - 1] && !event.shiftKey) button.focus(); // from there Tab itself goes on
}

addEventListener("keydown", follow, { capture: true });
