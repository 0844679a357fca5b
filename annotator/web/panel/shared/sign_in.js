/** Signed out while one works: the way to sign in and come back to the same text of the same page. */
import { _ } from "../words/language.js";
import { element } from "./dom.js";

/**
 * The address of this page with what is on the screen.
 * @param {Object<string, string|number|null>} place  parameters; null takes one away
 */
export function addressOf(place) {
  const said = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(place)) {
    if (value === null || value === undefined) said.delete(name);
    else said.set(name, String(value));
  }
  return `${location.pathname}?${said}`;
}

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
