/** A question before something is gone for good. */
import { _ } from "../words/language.js";
import { openDialog } from "../shared/dialogs.js";
import { button, element } from "../shared/dom.js";

/**
 * @param {string} verb  what is done, on the button that does it
 * @param {HTMLElement} root
 * @param {string} title
 * @param {string} words
 * @param {() => void} onyes
 */
export function ask(root, title, words, verb, onyes) {
  const yes = () => {
    dialog.close();
    onyes();
  };
  const no = button(_("Keep it"), { onclick: () => dialog.close() });
  const dialog = openDialog(
    root,
    title,
    element("p", { class: "dialog-words" }, words),
    element("div", { class: "dialog-foot" }, no, button(verb, { className: "plain", onclick: yes })),
  );
  no.focus();
}
