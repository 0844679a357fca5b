/**
 * Drafts that the server has not acknowledged, in the browser's storage, so that neither a lost connection
 * nor a closed tab loses a mark.
 *
 * An entry belongs to the tab that wrote it. Another tab leaves it alone while its owner lives: the owner gives it up
 * when its page closes, and a crashed owner stops renewing it. And it belongs to the person who was signed in: somebody
 * else who signs in at the same browser neither sees nor sends it.
 */

const DRAFTS = "annotator:draft:";
const OWNED_MS = 15000;

/**
 * @typedef {Object} Entry
 * @property {number} assignment
 * @property {number} instance
 * @property {string} state      of the work when it was changed
 * @property {number} revision   the revision the draft builds on
 * @property {any} draft
 * @property {any} sent  a draft that was on its way when the entry was written
 * @property {{kind: import("./saving.js").JobKind, extra: object}|null} finish
 *   the rest of a submit, skip or discard that is not acknowledged
 * @property {string|null} tab
 * @property {number|null} [user]  whose it is; unknown of entries of earlier versions, which the server refuses to
 *   others anyway
 * @property {number} at
 */

export class DraftStorage {
  /**
   * @param {string} [prefix]  of the entries' keys: each kind of work has its own
   * @param {number|null} [user]  who is signed in
   */
  constructor(
    prefix = DRAFTS,
    user = null,
    storage = safeStorage("localStorage"),
    session = safeStorage("sessionStorage"),
    now = Date.now,
  ) {
    this.prefix = prefix;
    this.user = user;
    this.storage = storage;
    this.now = now;
    this.tab = session.getItem("annotator:tab") || crypto.getRandomValues(new Uint32Array(2)).join("-");
    session.setItem("annotator:tab", this.tab);
    this.mine = new Set();
  }

  /** @param {Omit<Entry, "tab"|"at">} entry */
  keep(entry) {
    this.mine.add(entry.assignment);
    this.#write({ ...entry, user: this.user, tab: this.tab, at: this.now() });
  }

  /** @param {number} assignment */
  drop(assignment) {
    this.mine.delete(assignment);
    this.storage.removeItem(this.prefix + assignment);
  }

  /**
   * The entry of an assignment if it is this tab's to take: its own, given up, or its owner's no more.
   * @param {number|string} assignment
   */
  find(assignment) {
    const entry = this.#read(this.prefix + assignment);
    const isOwn = entry && (this.user === null || (entry.user ?? this.user) === this.user);
    const free = isOwn && (entry.tab === null || entry.tab === this.tab || this.now() - entry.at > OWNED_MS);
    return free ? entry : null;
  }

  /** All entries that are this tab's to take. @returns {Entry[]} */
  list() {
    const keys = Object.keys(this.storage).filter((key) => key.startsWith(this.prefix));
    return keys
      .map((key) => this.find(key.slice(this.prefix.length)))
      .filter((entry) => entry !== null)
      .sort((a, b) => a.at - b.at);
  }

  /** Says "still mine" while the entries cannot be sent. */
  renew() {
    this.#each((entry) => ({ ...entry, at: this.now() }));
  }

  /** Gives the entries up: the page is closing. */
  release() {
    this.#each((entry) => ({ ...entry, tab: null }));
  }

  /** @param {(entry: Entry) => Entry} change */
  #each(change) {
    for (const assignment of this.mine) {
      const entry = this.#read(this.prefix + assignment);
      if (entry) this.#write(change(entry));
    }
  }

  /** @param {Entry} entry */
  #write(entry) {
    try {
      this.storage.setItem(this.prefix + entry.assignment, JSON.stringify(entry));
    } catch {
      // A full storage must not stop the marking; the draft is still on its way to the server.
    }
  }

  /** @param {string} key @returns {Entry|null} */
  #read(key) {
    try {
      const entry = JSON.parse(this.storage.getItem(key) ?? "null");
      return entry && entry.draft ? entry : null;
    } catch {
      return null;
    }
  }
}

/**
 * A browser may forbid storage altogether: then an object for this page's life takes its place.
 * @param {"localStorage"|"sessionStorage"} name
 * @returns {Storage}
 */
export function safeStorage(name) {
  try {
    return window[name];
  } catch {
    /** @type {Record<string, string>} */
    const kept = {};
    /** @type {Pick<Storage, "getItem"|"setItem"|"removeItem">} */
    const methods = {
      getItem: (key) => kept[key] ?? null,
      setItem: (key, value) => {
        kept[key] = String(value);
      },
      removeItem: (key) => {
        delete kept[key];
      },
    };
    return Object.setPrototypeOf(kept, methods);
  }
}
