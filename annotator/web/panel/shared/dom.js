/** Elements, buttons, icons, the focus and the keys. Text always goes in as text, never as HTML. */
import { _ } from "../words/language.js";

/** @template {Event} E @typedef {(event: E) => unknown} Listener */
/**
 * @typedef {{[name: string]: any, onclick?: Listener<MouseEvent>, onmousedown?: Listener<MouseEvent>,
 *   onkeydown?: Listener<KeyboardEvent>}} Properties
 */

/**
 * Makes an element. Properties that start with "on" are listeners, "class" is the class name,
 * names with a dash (aria-…, data-…) and a few others are attributes, the rest are properties.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Properties} [properties]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) setProperty(made, name, value);
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

/** @param {string} name  its class @param {...Child} children */
export const div = (name, ...children) => element("div", { class: name }, ...children);

/** A span; that word means a range of tokens here. @param {string} name  its class @param {...Child} children */
export const inline = (name, ...children) => element("span", { class: name }, ...children);

/** @param {string} name  its class @param {...Child} children */
export const paragraph = (name, ...children) => element("p", { class: name }, ...children);

/** A choice of a menu. @param {string|number} value @param {Child} words */
export const option = (value, words) => element("option", { value }, words);

/** A row of a table. @param {...Child} cells */
export const tr = (...cells) => element("tr", {}, ...cells);

const ATTRIBUTES = new Set(["role", "for", "dir", "lang", "colspan", "scope"]);

/** @param {any} made @param {string} name @param {any} value */
function setProperty(made, name, value) {
  if (value === null || value === undefined) return;
  if (name === "class") made.className = value;
  else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
  else if (name.includes("-") || ATTRIBUTES.has(name)) made.setAttribute(name, String(value));
  else made[name] = value;
}

/**
 * @typedef {Properties & {key?: string, title?: string, className?: string, icon?: Node|null}} ButtonParts
 *   the rest are properties as of `element`
 */

/**
 * A button with a title; `key` is printed on it.
 * @param {string} label
 * @param {ButtonParts} [parts]
 */
export function button(label, { key = "", title = "", className = "", onclick, icon = null, ...rest } = {}) {
  const words = key ? `${title || label} (${key})` : title || label;
  return element(
    "button",
    {
      type: "button",
      class: `button ${className}`,
      title: words,
      onclick,
      "aria-keyshortcuts": key.replace("Ctrl", "Control").replace("⏎", "Enter") || null,
      ...rest,
    },
    icon,
    label && inline("button-label", label),
    key && keyCap(key),
  );
}

/** A button of another look. @param {string} name  class @param {Properties} properties @param {...Child} children */
export const pressable = (name, properties, ...children) =>
  element("button", { type: "button", class: name, ...properties }, ...children);

/** A key as it stands on what it presses. @param {string} key */
export const keyCap = (key) => element("kbd", { "aria-hidden": "true" }, key);

/**
 * What is called as often as something changes, and calls back once it rests.
 * @param {() => void} callback
 * @param {number} ms
 */
export function whenAtRest(callback, ms) {
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(callback, ms);
  };
}

/**
 * A button that is on or off.
 * @param {string} label
 * @param {string} key
 * @param {string} title
 * @param {(event: MouseEvent) => unknown} onclick
 */
export function toggle(label, key, title, onclick) {
  return button(label, { key, title, className: "toggle", onclick, "aria-pressed": "false" });
}

/** @param {HTMLElement} made @param {boolean} on */
export function press(made, on) {
  made.setAttribute("aria-pressed", String(on));
}

/**
 * Buttons that one needs now and then, folded under one; the fold closes when the focus leaves it, and with Escape.
 * @param {string} label @param {string} title @param {...Child} choices
 */
export function menu(label, title, ...choices) {
  const head = element("summary", { class: "button", title, "aria-label": title }, label);
  const made = element("details", { class: "menu" }, head, div("menu-choices", ...choices));
  made.addEventListener("focusout", (event) => {
    if (!made.contains(/** @type {Node|null} */ (event.relatedTarget))) made.open = false;
  });
  made.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !made.open) return;
    event.stopPropagation();
    made.open = false;
    head.focus();
  });
  return made;
}

/**
 * The buttons to the page before, and to the one after.
 * @param {(by: number) => unknown} turn
 */
export function pageButtons(turn, { className = "plain" } = {}) {
  const back = button("‹", { title: _("Previous page"), className, onclick: () => turn(-1) });
  const forth = button("›", { title: _("Next page"), className, onclick: () => turn(1) });
  return { back, forth, root: div("list-pages", back, forth) };
}

/**
 * Chooses a value where there is such an option; answers whether.
 * @param {HTMLSelectElement} select
 * @param {string|null} value
 */
export function chooseOption(select, value) {
  if (!value || ![...select.options].some((option) => option.value === value)) return false;
  select.value = value;
  return true;
}

/**
 * Changes a text only if it is another one, so that nothing is laid out again for nothing.
 * @param {Node} node
 * @param {string} text
 */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/**
 * Whether the clipboard took a text; there is none where the page came without TLS from another machine.
 * @param {string} text
 */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Calls back when the frame that holds the changes made so far has been handed to the screen.
 * @param {() => void} callback
 */
export function afterPaint(callback) {
  requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => {
      channel.port1.close();
      callback();
    };
    channel.port2.postMessage(null);
  });
}

/**
 * Calls back some time after that: for what nobody waits for.
 * @param {() => void} callback
 */
export const afterwards = (callback) => afterPaint(() => setTimeout(callback));

/**
 * There is something to see: what the document showed until now goes (routes/documents.py).
 * @param {string} parts
 */
export function pageBegan(parts = ".begin-main, .first-text") {
  for (const part of document.querySelectorAll(parts)) part.remove();
}

// ---- Icons, drawn with the colour of the text around them

const SVG = "http://www.w3.org/2000/svg";

const PATHS = {
  undo: "M7 5 3.5 8.5 7 12M4 8.5h6.5a3.5 3.5 0 0 1 0 7H8",
  redo: "M11 5l3.5 3.5L11 12M14 8.5H7.5a3.5 3.5 0 0 0 0 7H10",
  lock: "M5 8.5V6.5a4 4 0 0 1 8 0v2M4 8.5h10v7H4z",
  unlocked: "M5 8.5V5.5a4 4 0 0 1 7.6-1.7M4 8.5h10v7H4z",
  warning: "M9 3 16 15.5H2zM9 7.5v3.5M9 13v.3",
  returned: "M7 4 3.5 7.5 7 11M4 7.5h6a4 4 0 0 1 4 4V14",
  check: "M4 9.5l3.5 3.5L14 5.5",
  close: "M5 5l8 8M13 5l-8 8",
};

/** @param {keyof typeof PATHS} name */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 18 18");
  svg.setAttribute("class", `icon icon-${name}`);
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

// ---- Where things are in the page

/** The element that really has the focus, through shadow roots. */
export function focused() {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active;
}

/**
 * The focus goes to the next of some rows, or to the one before; where none of them has it, to the first.
 * @param {HTMLElement[]} rows
 * @param {number} by
 */
export function focusBeside(rows, by) {
  const at = rows.findIndex((row) => row === focused());
  rows[Math.min(rows.length - 1, Math.max(0, at + by))]?.focus();
}

/**
 * The nearest ancestor that scrolls, through shadow roots; the page itself if there is none.
 * @param {Node} node
 */
export function scrollerOf(node) {
  for (let at = parentOf(node); at instanceof Element; at = parentOf(at)) {
    const { overflowY } = getComputedStyle(at);
    if ((overflowY === "auto" || overflowY === "scroll") && at !== document.body && at !== document.documentElement)
      return at;
  }
  return document.scrollingElement || document.documentElement;
}

/** @param {Node} node */
function parentOf(node) {
  const parent = (node instanceof Element && node.assignedSlot) || node.parentNode;
  return parent instanceof ShadowRoot ? parent.host : parent;
}

/**
 * The tree that a node stands in: what style sheets are adopted by, and what knows which of its elements has the focus.
 * @param {Node} node
 * @returns {Document|ShadowRoot}
 */
export function treeOf(node) {
  const root = node.getRootNode();
  return root instanceof ShadowRoot ? root : document;
}

/**
 * An element that is there: whoever looks for it has made it.
 * @template {Element} T
 * @param {ParentNode} within
 * @param {string} selector
 * @param {new () => T} kind
 */
export function part(within, selector, kind) {
  const found = within.querySelector(selector);
  if (!(found instanceof kind)) throw new TypeError(`There is no ${selector} here.`);
  return found;
}

/**
 * All elements of a kind that there are.
 * @template {Element} T
 * @param {ParentNode} within
 * @param {string} selector
 * @param {new () => T} kind
 */
export function parts(within, selector, kind) {
  return [...within.querySelectorAll(selector)].flatMap((found) => (found instanceof kind ? [found] : []));
}

/**
 * The part of the window in which a scroller shows its content.
 * @param {Element} scroller
 */
export function viewportOf(scroller) {
  if (scroller === document.scrollingElement) return { top: 0, bottom: window.innerHeight, height: window.innerHeight };
  const box = scroller.getBoundingClientRect();
  const top = Math.max(0, box.top);
  const bottom = Math.min(window.innerHeight, box.bottom);
  return { top, bottom, height: bottom - top };
}

// ---- What the keyboards of all screens have in common

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
    // With the focus nowhere (a script run may drop it), or on what is around it (after a click beside everything), the
    // keys still mean the screen.
    /** @param {KeyboardEvent} event */
    this.stray = (event) => {
      const within = root.getRootNode();
      const isAround =
        event.target instanceof Element && event.target.contains(within instanceof ShadowRoot ? within.host : root);
      if (isAround && !event.composedPath().includes(root) && !root.querySelector("dialog[open]")) this.#down(event);
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

/** Whether a key is pressed with others, so that it means no action of its own. @param {KeyboardEvent} event */
export const isCombined = (event) => event.ctrlKey || event.metaKey || event.altKey;

/** Ctrl+Enter, which sends. @param {KeyboardEvent} event */
export const isSend = (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey);

/**
 * Does what a key means, if it means something.
 * @param {Record<string, () => unknown>} actions
 * @param {string} key
 */
export function act(actions, key) {
  actions[key]?.();
  return key in actions;
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
