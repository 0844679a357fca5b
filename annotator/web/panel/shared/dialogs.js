/** Dialogs (the list of keys, the reason to discard, a question), in which the browser traps the focus; and notices. */
import { _ } from "../words/language.js";
import { button, div, element, focused, icon, isCombined, isSend, paragraph, setText } from "./dom.js";

/**
 * Opens a dialog; it closes with Escape, its button, or a click beside it.
 * @param {Element|ShadowRoot} root
 * @param {string} title
 * @param {...Child} content
 */
export function openDialog(root, title, ...content) {
  const close = button(_("Close"), { key: "Esc", className: "plain", onclick: () => dialog.close() });
  const dialog = element(
    "dialog",
    { class: "dialog", "aria-label": title, onclose: () => dialog.remove() },
    div("dialog-head", element("h2", {}, title), close),
    div("dialog-body", ...content),
  );
  dialog.addEventListener("pointerdown", (event) => {
    if (event.target === dialog && outside(dialog, event)) dialog.close();
  });
  dialog.addEventListener("keydown", (event) => event.key === "Tab" && keepFocus(dialog, event));
  root.append(dialog);
  dialog.showModal();
  return dialog;
}

/**
 * Tab goes round within the dialog; left to itself it would pass through the browser's own controls.
 * @param {HTMLDialogElement} dialog
 * @param {KeyboardEvent} event
 */
function keepFocus(dialog, event) {
  /** @type {NodeListOf<HTMLButtonElement|HTMLInputElement|HTMLTextAreaElement|HTMLSelectElement>} */
  const found = dialog.querySelectorAll("button, input, textarea, select");
  const stops = [...found].filter((stop) => !stop.disabled && stop.getClientRects().length);
  const edge = event.shiftKey ? stops[0] : stops[stops.length - 1];
  if (focused() !== edge) return;
  event.preventDefault();
  stops[event.shiftKey ? stops.length - 1 : 0].focus();
}

/** @param {HTMLDialogElement} dialog @param {PointerEvent} event */
function outside(dialog, event) {
  const box = dialog.getBoundingClientRect();
  return event.clientX < box.left || event.clientX > box.right || event.clientY < box.top || event.clientY > box.bottom;
}

/**
 * @param {Array<[string, Array<[string, string]>]>} list  titles, each with rows of a key and what it does
 * @param {HTMLElement} root
 */
export function openKeys(root, list) {
  const groups = list.map(([title, rows]) =>
    element(
      "section",
      { class: "key-group" },
      element("h3", {}, title),
      element(
        "dl",
        {},
        ...rows.flatMap(([key, words]) => [element("dt", {}, element("kbd", {}, key)), element("dd", {}, words)]),
      ),
    ),
  );
  openDialog(root, _("Keys"), div("key-list", ...groups));
}

/**
 * No reason is chosen beforehand, and without one nothing is sent.
 * @param {HTMLElement} root
 * @param {Object<string, string>} reasons  as they are stored, and in the words of the screen
 * @param {(reason: string, comment: string) => void} ondiscard
 */
export function openDiscard(root, reasons, ondiscard) {
  const choices = Object.entries(reasons).map(([reason, words]) =>
    element(
      "label",
      { class: "reason" },
      element("input", { type: "radio", name: "reason", value: reason, onchange: () => setText(trouble, "") }),
      words,
    ),
  );
  const comment = element("textarea", {
    class: "note",
    rows: 2,
    "aria-label": _("Comment"),
    placeholder: _("comment for the lead (optional)"),
  });
  const trouble = element("p", { class: "trouble", role: "alert" });
  /** @param {string} sentence @param {HTMLElement|null} field */
  const refuse = (sentence, field) => {
    setText(trouble, sentence);
    field?.focus();
  };
  const send = () => {
    /** @type {HTMLInputElement|null} */
    const chosen = dialog.querySelector("input:checked");
    if (!chosen) return refuse(_("Choose a reason first."), dialog.querySelector("input"));
    if (chosen.value === "other" && !comment.value.trim()) return refuse(_("Say briefly why."), comment);
    dialog.close();
    ondiscard(chosen.value, comment.value);
  };
  /** @param {KeyboardEvent} event  what is typed is the comment: no blank in it chooses a reason */
  const write = (event) => /^\S$/u.test(event.key) && !isCombined(event) && comment.focus();
  const dialog = openDialog(
    root,
    _("Propose to discard"),
    paragraph("dialog-words", _("The lead will decide. Your marks are kept.")),
    element("div", { class: "reasons", role: "radiogroup", "aria-label": _("Reason"), onkeydown: write }, ...choices),
    comment,
    trouble,
    div("dialog-foot", button(_("Propose to discard"), { key: "Ctrl+⏎", className: "primary", onclick: send })),
  );
  sendOnEnter(dialog, send);
  dialog.querySelector("input")?.focus();
}

/**
 * Enter sends what a form holds; where one writes several lines, Ctrl+Enter.
 * @param {HTMLElement} form
 * @param {() => unknown} send
 */
export function sendOnEnter(form, send) {
  form.addEventListener("keydown", (event) => {
    const { key, target, isComposing } = event;
    if (key !== "Enter" || isComposing || target instanceof HTMLButtonElement) return;
    if (target instanceof HTMLTextAreaElement && !isSend(event)) return;
    event.preventDefault();
    send();
  });
}

/**
 * Asks before something is gone for good.
 * @param {string} verb  what is done, on the button that does it
 * @param {HTMLElement} root
 * @param {string} title
 * @param {string} words
 * @param {() => void} onyes
 */
export function openQuestion(root, title, words, verb, onyes) {
  const yes = () => {
    dialog.close();
    onyes();
  };
  const no = button(_("Cancel"), { onclick: () => dialog.close() });
  const dialog = openDialog(
    root,
    title,
    paragraph("dialog-words", words),
    div("dialog-foot", no, button(verb, { className: "plain", onclick: yes })),
  );
  no.focus();
}

/**
 * Boxes with what has to be known: above the text what belongs to it from the start (what reviewers said), at the lower
 * edge of the window what comes up while one works (why something was refused, what has to be decided): it never moves
 * the text.
 */

// ---- Signed out: the way to sign in and come back to the same text

/**
 * Opens the page anew: whoever is not signed in is led to the sign-in page first and comes back from there, and whoever
 * has signed in meanwhile, in another tab, gets a page of the new session.
 * @param {() => string} address
 */
export function signInLink(address) {
  const link = element("a", { class: "button sign-in", href: address(), target: "_self" }, _("Sign in"));
  link.addEventListener("click", () => {
    link.href = address();
  });
  return link;
}

/**
 * Where the page is to be opened again when its connection is refused (routes/documents.py asks).
 * @param {(() => string)|null} address
 */
export function rememberPlace(address) {
  window.annotatorPlace = address;
}

/**
 * What belongs to no text: `address` of what is to be opened to sign in.
 * @typedef {{text: string, closable?: boolean, address?: () => string}} PageNotice
 */
/**
 * What the boxes' buttons do.
 * @typedef {Object} NoticeActions
 * @property {() => void} focusText
 * @property {() => void} retry
 * @property {(confirmed?: boolean) => void} submit
 * @property {() => void} goOn
 * @property {() => void} keepMine
 * @property {() => void} takeTheirs
 * @property {() => void} [takeAgain]
 */

/**
 * Boxes with what has to be known: above the text what belongs to it from the start (what reviewers said), at the lower
 * edge of the window what comes up while one works: it never moves the text.
 * @template {WorkSession} S
 */
export class Notices {
  /** @param {NoticeActions} actions */
  constructor(actions) {
    this.actions = actions;
    this.root = div("notices");
    this.urgent = div("notices-urgent");
    this.dock = div("dock", this.urgent);
    /** @type {PageNotice|null} */
    this.page = null;
    this.key = "";
    /** @type {S|null} */
    this.session = null;
    this.dark = false;
  }

  /**
   * A notice that belongs to no text (signed out, something kept could not be sent), or null.
   * @param {PageNotice|null} notice
   */
  setPage(notice) {
    this.page = notice;
    this.#draw(this.session);
  }

  /** @param {S|null} session */
  show(session) {
    this.key = "";
    this.#draw(session);
  }

  /** @param {S} session @param {{dark: boolean}} given */
  update(session, { dark }) {
    if (dark !== this.dark) this.key = "";
    this.dark = dark;
    this.#draw(session);
  }

  /** @param {S|null} session */
  #draw(session) {
    this.session = session;
    const key = JSON.stringify([this.page?.text, session && this.keyOf(session)]);
    if (key === this.key) return;
    this.key = key;
    this.root.replaceChildren(...(session ? this.boxes(session) : []).filter((box) => box !== null));
    this.urgent.replaceChildren(
      ...[this.#page(), session && this.#problem(session), session && this.#conflict(session)].filter(
        (box) => box !== null,
      ),
    );
  }

  /**
   * What the boxes of a session depend on.
   * @param {S} session
   * @returns {unknown[]}
   */
  keyOf({ id, problem, conflict, work }) {
    return [id, problem, conflict?.error, work.state];
  }

  /**
   * The boxes above the text of a session; null for those that there is no reason for.
   * @param {S} _session
   * @returns {(HTMLElement|null)[]}
   */
  boxes(_session) {
    return [];
  }

  /**
   * A pressed button goes away with its box; the focus then returns to the text.
   * @param {string} kind
   * @param {Parameters<typeof icon>[0]} symbol
   * @param {Child} text
   * @param {...Child} buttons
   */
  box(kind, symbol, text, ...buttons) {
    /** @param {MouseEvent} event */
    const back = ({ target }) => target instanceof Element && target.closest("button") && this.actions.focusText();
    return element(
      "div",
      { class: `notice ${kind}`, role: kind === "refused" ? "alert" : "note", onclick: back },
      icon(symbol),
      div("notice-text", text),
      ...buttons,
    );
  }

  #page() {
    if (!this.page) return null;
    return this.box(
      "refused",
      "warning",
      this.page.text,
      this.page.address && signInLink(this.page.address),
      !this.page.closable && button(_("Try again"), { onclick: this.actions.retry }),
      this.page.closable && button(_("Close"), { className: "plain", onclick: () => this.setPage(null) }),
    );
  }

  /** @param {S} session */
  #problem(session) {
    const { problem } = session;
    if (!problem) return null;
    const buttons = [
      problem.warning && button(_("Submit anyway"), { onclick: () => this.actions.submit(true) }),
      problem.lost && !problem.ended && button(_("Take it back"), { onclick: this.actions.takeAgain }),
      problem.lost && button(_("Continue"), { className: "plain", onclick: this.actions.goOn }),
      !problem.lost &&
        button(_("Close"), {
          className: "plain",
          onclick: () => {
            session.problem = null;
            this.#draw(session);
          },
        }),
    ];
    return this.box("refused", "warning", problem.error, ...buttons);
  }

  /** @param {S} given */
  #conflict({ conflict }) {
    if (!conflict) return null;
    return this.box(
      "refused",
      "warning",
      conflict.error,
      button(_("Keep the version here"), { onclick: this.actions.keepMine }),
      button(_("Use the other version"), { onclick: this.actions.takeTheirs }),
    );
  }
}
