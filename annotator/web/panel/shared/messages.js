/** The routes of docs/panel.md, as functions. Every answer is `{status, body}`; a lost connection is status 0. */
import { takeEarly } from "./early.js";

/** Browsers refuse `keepalive` for bodies over 64 KB, all requests on the way taken together. */
const KEEPALIVE_CHARS = 30000;
const GIVE_UP_MS = 30000;

/** @typedef {{status: number, body: Object<string, any>}} Answer  body: JSON, {} where there was none */

export class Messages {
  /** @param {string} routes @param {string} csrf */
  constructor(routes, csrf, giveUpMs = GIVE_UP_MS) {
    this.routes = routes.replace(/\/$/, "");
    this.csrf = csrf;
    /** @type {(() => void)|undefined} */
    this.onsignedout = undefined;
    this.giveUpMs = giveUpMs;
  }

  /** @param {number} project @param {number|null} instance */
  async next(project, instance) {
    const query = { project, instance, day: dayBegan() };
    return (await takeEarly(this.#url("next", query))) || this.get("next", query);
  }

  /**
   * @param {{page: number, state?: string, words?: string}} asked
   * @param {number} project
   */
  mine(project, asked) {
    return this.get("mine", { project, ...asked });
  }

  /** @param {string} route @param {Object<string, any>} query */
  #url(route, query) {
    const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
    return `${this.routes}/${route}?${new URLSearchParams(given)}`;
  }

  /** @param {string} route @param {Object<string, any>} query */
  get(route, query) {
    return this.#fetch(this.#url(route, query), { method: "GET" });
  }

  /**
   * @param {string} route
   * @param {Object<string, any>} body
   * @returns {Promise<Answer>}
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

  /** @param {string} url @param {RequestInit} options */
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

export const SIGNED_OUT = "You are signed out. What you did here is kept in this browser; sign in again to send it.";

/** When today began where the person is. routes/documents.py asks for the first text in the same words. */
export const dayBegan = () => new Date(new Date().setHours(0, 0, 0, 0)).toISOString();

/**
 * The sentence of an answer that refuses, or one of our own.
 * @param {Answer} given
 */
export function sentenceOf({ status, body }) {
  if (status === 401) return SIGNED_OUT;
  if (body.error) return body.error;
  if (status === 0) return "The server cannot be reached. What you did here is kept in this browser.";
  if (status === 403) return "You are not allowed to do this in this project. Ask its lead.";
  if (status === 404) return "This text no longer exists.";
  return `The server answered with an error (${status}). What you did here is kept in this browser.`;
}
