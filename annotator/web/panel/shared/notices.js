/**
 * Boxes with what has to be known: above the text what belongs to it from the start (what reviewers said), at the lower
 * edge of the window what comes up while one works (why something was refused, what has to be decided): it never moves
 * the text.
 */
import { _ } from "../words/language.js";
import { button, div, element, icon } from "./dom.js";

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

/** @template {WorkSession} S */
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
      !problem.lost && button(_("Close"), { className: "plain", onclick: () => this.#close(session) }),
    ];
    return this.box("refused", "warning", problem.error, ...buttons);
  }

  /**
   * What was refused has been read: it need not stay.
   * @param {S} session
   */
  #close(session) {
    session.problem = null;
    this.#draw(session);
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
