/** Dialogs: the list of keys, the reason to discard, a question. The browser traps the focus in them. */
import { _ } from "../words/language.js";
import { button, div, element, focused, isSend, paragraph, setText } from "./dom.js";

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
  const dialog = openDialog(
    root,
    _("Propose to discard"),
    paragraph("dialog-words", _("The lead will decide. Your marks are kept.")),
    element("div", { class: "reasons", role: "radiogroup", "aria-label": _("Reason") }, ...choices),
    comment,
    trouble,
    div("dialog-foot", button(_("Propose to discard"), { key: "Ctrl+⏎", className: "primary", onclick: send })),
  );
  sendOnEnter(dialog, send);
  comment.focus(); // on a reason, the first blank that one types would choose it
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
