/** What the keyboards of all screens have in common: who hears a key first, and what it is called. */

const ENTRY = new Set(["INPUT", "TEXTAREA", "SELECT"]);

export class KeyListener {
  /**
   * @param {HTMLElement} root  the screen's element
   * @param {(event: KeyboardEvent, target: EventTarget) => unknown} handle  whether the key meant something here
   */
  constructor(root, handle) {
    this.root = root;
    this.handle = handle;
    root.addEventListener("keydown", (event) => this.#down(event));
    // Streamlit listens on the page for r and c; what is typed on the screen is none of its business.
    for (const kind of ["keyup", "keypress"]) root.addEventListener(kind, (event) => event.stopPropagation());
    // With the focus nowhere (a script run may drop it) the keys still mean the screen.
    /** @param {KeyboardEvent} event */
    this.stray = (event) => {
      if (event.target === document.body && !root.querySelector("dialog[open]")) this.#down(event);
    };
    document.addEventListener("keydown", this.stray, true);
  }

  destroy() {
    document.removeEventListener("keydown", this.stray, true);
  }

  /** @param {KeyboardEvent} event */
  #down(event) {
    const target = event.composedPath()[0];
    if (target instanceof Element && target.closest("dialog")) return event.stopPropagation();
    const handled = !event.isComposing && this.handle(event, target);
    if (handled) event.preventDefault();
    if (handled || event.currentTarget === this.root) event.stopPropagation();
  }
}

/**
 * Whether one types into this element.
 * @param {EventTarget|null} target
 */
export const isEntry = (target) => target instanceof Element && ENTRY.has(target.tagName);

/**
 * Goes to the next radio button of a group, or the one before, and presses it.
 * @param {HTMLElement} radio
 * @param {number} by
 */
export function moveRadio(radio, by) {
  /** @type {NodeListOf<HTMLElement>|undefined} */
  const found = radio.closest("[role=radiogroup]")?.querySelectorAll("[role=radio]");
  const all = [...(found ?? [radio])];
  const next = all[(all.indexOf(radio) + by + all.length) % all.length];
  next.click();
  next.focus();
}

/**
 * The key as on a Latin keyboard: with an Arabic or Cyrillic layout the letters' places count.
 * @param {KeyboardEvent} event
 */
export function keyOf(event) {
  const { key, code } = event;
  if (key === "؟" || key === "？") return "?";
  if (key.length !== 1 || key.charCodeAt(0) < 128) return key;
  if (code === "BracketLeft") return "[";
  if (code === "BracketRight") return "]";
  const place = /^(?:Key([A-Z])|Digit([0-9])|Numpad([0-9]))$/.exec(code || "");
  return place ? (place[1] || place[2] || place[3]).toLowerCase() : key;
}
