/** Small helpers for building elements. Text always goes in as text, never as HTML. */

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
      "aria-keyshortcuts": shortcut(key),
      ...rest,
    },
    icon,
    label && element("span", { class: "button-label" }, label),
    key && element("kbd", { "aria-hidden": "true" }, key),
  );
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

/** @param {string} key */
function shortcut(key) {
  return key ? key.replace("Ctrl", "Control").replace("⏎", "Enter") : null;
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

/** There is something to see: what the document showed until now goes (routes/beginning.py). */
export const pageBegan = () => document.querySelector(".begin-main")?.remove();

/** The element that really has the focus, through shadow roots. */
export function focused() {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  return active;
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

/** Inline icons, drawn with the colour of the text around them. */

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
