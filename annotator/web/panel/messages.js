/** The routes of docs/panel.md, as functions. Every answer is `{status, body}`; a lost connection is status 0. */
import { takeEarly } from "./early.js";

/** Browsers refuse `keepalive` for bodies over 64 KB, all requests on the way taken together. */
const KEEPALIVE_CHARS = 30000;
const GIVE_UP_MS = 30000;

/** @typedef {{status: number, body: Object}} Answer */

export class Messages {
  constructor(routes, csrf, giveUpMs = GIVE_UP_MS) {
    this.routes = routes.replace(/\/$/, "");
    this.csrf = csrf;
    this.giveUpMs = giveUpMs;
  }

  async next(project, instance) {
    const query = { project, instance };
    return (await takeEarly(this.#url("next", query))) || this.get("next", query);
  }

  mine(project, page) {
    return this.get("mine", { project, page });
  }

  #url(route, query) {
    const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
    return `${this.routes}/${route}?${new URLSearchParams(given)}`;
  }

  get(route, query) {
    return this.#fetch(this.#url(route, query), { method: "GET" });
  }

  /** @returns {Promise<Answer>} */
  post(route, body) {
    const text = JSON.stringify(body);
    return this.#fetch(`${this.routes}/${route}`, {
      method: "POST", body: text, keepalive: text.length < KEEPALIVE_CHARS,
      headers: { "Content-Type": "application/json", "X-CSRF-Token": this.csrf },
    });
  }

  async #fetch(url, options) {
    const signal = AbortSignal.timeout(this.giveUpMs);
    try {
      const response = await fetch(url, { credentials: "same-origin", headers: { "X-CSRF-Token": this.csrf }, signal, ...options });
      return { status: response.status, body: await bodyOf(response) };
    } catch {
      return { status: 0, body: {} };
    }
  }
}

async function bodyOf(response) {
  try {
    return (await response.json()) || {};
  } catch {
    return {};
  }
}

/** The sentence of an answer that refuses, or one of our own. */
export function sentenceOf({ status, body }) {
  if (body.error) return body.error;
  if (status === 0) return "The server cannot be reached. What you did here is kept in this browser.";
  if (status === 401) return "You are signed out. What you did here is kept in this browser; sign in again to send it.";
  if (status === 403) return "You may not do this in this project. Ask its lead.";
  if (status === 404) return "This text is not there any more.";
  return `The server answered with an error (${status}). What you did here is kept in this browser.`;
}
