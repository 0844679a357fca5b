/** Asks the routes of a screen. Every answer is `{status, body}`; a lost connection is status 0. */
import { _ } from "../words/language.js";

/** Browsers refuse `keepalive` for bodies over 64 KB, all requests on the way taken together. */
const KEEPALIVE_CHARS = 30000;
const GIVE_UP_MS = 30000;

/** Where a browser finds `path`: below the one that routes/documents.py tells. @param {string} path */
export const at = (path) => (globalThis.annotatorPrefix ?? "") + path;

/** @typedef {Object<string, string|number|null|undefined>} Query */

/**
 * The routes below one address: R says what each answers, W what is stored where another tab was faster.
 * @template {object} R
 * @template [W=Work]
 */
export class Messages {
  /** @param {string} routes @param {string} csrf */
  constructor(routes, csrf, giveUpMs = GIVE_UP_MS) {
    this.routes = at(routes.replace(/\/$/, ""));
    this.csrf = csrf;
    /** @type {(() => void)|undefined} */
    this.onsignedout = undefined;
    this.giveUpMs = giveUpMs;
  }

  /** @param {keyof R & string} route @param {Query} query */
  urlOf(route, query) {
    const said = new URLSearchParams();
    for (const [name, value] of Object.entries(query))
      if (value !== null && value !== undefined && value !== "") said.set(name, String(value));
    return `${this.routes}/${route}?${said}`;
  }

  /**
   * @template {keyof R & string} K
   * @param {K} route
   * @param {Query} query
   * @returns {Promise<Answer<R[K], W>>}
   */
  get(route, query) {
    return this.#fetch(this.urlOf(route, query), { method: "GET" });
  }

  /**
   * @template {keyof R & string} K
   * @param {K} route
   * @param {object} body
   * @returns {Promise<Answer<R[K], W>>}
   */
  post(route, body) {
    const text = JSON.stringify(body);
    return this.#fetch(`${this.routes}/${route}`, {
      method: "POST",
      body: text,
      keepalive: text.length < KEEPALIVE_CHARS,
      headers: { "Content-Type": "application/json", "X-CSRF-Token": this.csrf },
    });
  }

  /**
   * What a route says is believed: here alone JSON becomes a value with a type.
   * @param {string} url
   * @param {RequestInit} options
   * @returns {Promise<any>}
   */
  async #fetch(url, options) {
    const signal = AbortSignal.timeout(this.giveUpMs);
    try {
      const response = await fetch(url, {
        credentials: "same-origin",
        headers: { "X-CSRF-Token": this.csrf },
        signal,
        ...options,
      });
      if (response.status === 401) this.onsignedout?.();
      return { status: response.status, body: await bodyOf(response) };
    } catch {
      return { status: 0, body: {} };
    }
  }
}

/** @param {Response} response */
async function bodyOf(response) {
  try {
    return (await response.json()) || {};
  } catch {
    return {};
  }
}

export const SIGNED_OUT = _("Signed out. Your work is kept in this browser; sign in to send it.");

/** When today began where the person is. routes/documents.py asks for the first text in the same words. */
export const dayBegan = () => new Date(new Date().setHours(0, 0, 0, 0)).toISOString();

/**
 * The sentence of an answer that refuses, or one of our own.
 * @param {Answer<object, object>} given
 */
export function sentenceOf({ status, body }) {
  if (status === 401) return SIGNED_OUT;
  if ("error" in body && body.error) return body.error;
  if (status === 0) return _("No connection. Your work is kept in this browser.");
  if (status === 403) return _("Your role doesn't allow this. Ask a lead.");
  if (status === 404) return _("This text no longer exists.");
  return _("Server error ({status}). Your work is kept in this browser.", { status });
}

const RETRY_MS = [500, 1000, 2000, 4000, 8000];

/** How long to wait until something is sent again, by how often it was. @param {number} tries */
export const retryAfter = (tries) => RETRY_MS[Math.min(tries, RETRY_MS.length - 1)];

/**
 * Whether the same may get through later: the connection, the server, the sign-in or too many requests are why not.
 * @param {{status: Refused}} given
 */
export const isForLater = ({ status }) => status === 0 || status >= 500 || status === 401 || status === 429;
