/**
 * How large one's texts are written and how far apart their lines stand: a setting of the person at this browser, kept
 * in its storage, the same on all screens with a text.
 */
import { _ } from "../words/language.js";
import { openDialog } from "./dialogs.js";
import { button, element, setText } from "./dom.js";
import { inPercent } from "./spoken.js";

const KEY = "annotator:reading";
const STEP = 0.1;
/** Least and most of each, in parts of the usual. */
const BOUNDS = { size: [0.8, 2.4], space: [0.8, 1.8] };
const USUAL = Object.freeze({ size: 1, space: 1 });

/** @param {"size"|"space"} name @param {number} value */
const bounded = (name, value) => {
  const [least, most] = BOUNDS[name];
  return Number.isFinite(value) ? Math.min(most, Math.max(least, Math.round(value * 10) / 10)) : USUAL[name];
};

/** @returns {{size: number, space: number}} */
export function readingOf() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "null") || {};
    return { size: bounded("size", kept.size), space: bounded("space", kept.space) };
  } catch {
    return { ...USUAL };
  }
}

/** Writes the setting where the style sheet reads it. @param {HTMLElement} root */
export function applyReading(root, { size, space } = readingOf()) {
  root.style.setProperty("--text-size", String(size));
  root.style.setProperty("--text-space", String(space));
}

export class Reading {
  /** @param {HTMLElement} root @param {(setting: {size: number, space: number}) => void} onchange */
  constructor(root, onchange) {
    this.root = root;
    this.onchange = onchange;
    this.value = readingOf();
    applyReading(root, this.value);
  }

  /**
   * One step more or less of a part.
   * @param {"size"|"space"} name
   * @param {number} by
   */
  step(name, by) {
    this.#set({ ...this.value, [name]: bounded(name, this.value[name] + by * STEP) });
  }

  /** @param {{size: number, space: number}} value */
  #set(value) {
    if (value.size === this.value.size && value.space === this.value.space) return;
    this.value = value;
    try {
      localStorage.setItem(KEY, JSON.stringify(value));
    } catch {
      // A browser that keeps nothing shows it all the same.
    }
    this.onchange(value);
  }

  get words() {
    /** @param {number} part */
    const percent = (part) => inPercent(Math.round(part * 100));
    return _("text size {size}, line spacing {space}", {
      size: percent(this.value.size),
      space: percent(this.value.space),
    });
  }

  open() {
    const rows = [this.#row("size", _("Text size"), ["-", "+"]), this.#row("space", _("Line spacing"))];
    const usual = button(_("As usual"), {
      className: "plain",
      onclick: () => {
        this.#set({ ...USUAL });
        rows.forEach(({ show }) => show());
      },
    });
    const dialog = openDialog(
      this.root,
      _("Text"),
      ...rows.map(({ root }) => root),
      element("div", { class: "dialog-foot" }, usual),
    );
    dialog.classList.add("reading");
  }

  /**
   * @param {[string, string]} [keys]  that do the same anywhere
   * @param {"size"|"space"} name
   * @param {string} title
   */
  #row(name, title, keys) {
    const shown = element("output", { class: "reading-value", "aria-label": title });
    const show = () => setText(shown, inPercent(Math.round(this.value[name] * 100)));
    /** @param {number} by */
    const turn = (by) => {
      this.step(name, by);
      show();
    };
    show();
    /** @param {string} sign @param {string} words @param {number} by @param {string} [key] */
    const turner = (sign, words, by, key) => {
      const name = _("{title}: {sentence}", { title, sentence: words });
      return button(sign, {
        title: key ? `${name} (${key})` : name,
        className: "square",
        "aria-label": name,
        onclick: () => turn(by),
      });
    };
    const root = element(
      "div",
      { class: "reading-row" },
      element("span", {}, title),
      turner("−", _("less"), -1, keys?.[0]),
      shown,
      turner("+", _("more"), 1, keys?.[1]),
    );
    return { root, show };
  }
}
