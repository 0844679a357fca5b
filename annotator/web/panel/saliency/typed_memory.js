/** What is typed, by the text that it came from, kept in this tab: it is there when the page is loaded again. */
import { safeStorage } from "../shared/storage.js";

/** @typedef {import("./link.js").Texts} Texts */

export class TypedMemory {
  /**
   * @param {number|null} user  somebody else who signs in at this tab does not find it
   * @param {number} project
   */
  constructor(user, project, storage = safeStorage("sessionStorage")) {
    this.name = `annotator:typed:${user ?? ""}:${project}`;
    this.storage = storage;
    /** @type {Map<number, Texts>} */
    this.texts = new Map(this.#read());
  }

  /** @param {number} instance */
  get(instance) {
    return this.texts.get(instance);
  }

  /** @param {number} instance @param {Texts} texts */
  set(instance, texts) {
    this.texts.set(instance, texts);
    try {
      this.storage.setItem(this.name, JSON.stringify([...this.texts]));
    } catch {
      // A full storage must not stop the typing; what is typed stays as long as the page does.
    }
  }

  /** @returns {[number, Texts][]} */
  #read() {
    try {
      const kept = JSON.parse(this.storage.getItem(this.name) ?? "[]");
      return Array.isArray(kept) ? kept.filter((entry) => Array.isArray(entry) && typeof entry[1] === "object") : [];
    } catch {
      return [];
    }
  }
}
