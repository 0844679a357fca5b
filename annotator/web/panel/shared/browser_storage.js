/**
 * What the browser keeps: values by their names, where a panel stands, drafts that the server has not acknowledged, and
 * what an earlier page left of them, so that neither a lost connection nor a closed tab loses a mark.
 *
 * An entry belongs to the tab that wrote it. Another tab leaves it alone while its owner lives: the owner gives it up
 * when its page closes, and a crashed owner stops renewing it. And it belongs to the person who was signed in:
 * somebody else who signs in at the same browser neither sees nor sends it.
 */
import { _ } from "../words/language.js";
import { scrollerOf } from "./dom.js";
import { at, sentenceOf } from "./messages.js";

const DRAFTS = "annotator:draft:";
/** When this browser last let go of something, which the server had then: routes/documents.py asks. */
const LET_GO = "annotator:let-go";
const OWNED_MS = 15000;

/**
 * @typedef {Object} Entry
 * @property {number} assignment
 * @property {number} instance
 * @property {string} state      of the work when it was changed
 * @property {number} revision   the revision the draft builds on
 * @property {any} draft
 * @property {any} sent  a draft that was on its way when the entry was written
 * @property {{kind: JobKind, extra: object}|null} finish
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
    storeValue(this.prefix + assignment, undefined, this.storage);
    storeValue(LET_GO, this.now(), this.storage);
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
    const prefix = at(this.prefix);
    const keys = Object.keys(this.storage).filter((key) => key.startsWith(prefix));
    return keys
      .map((key) => this.find(key.slice(prefix.length)))
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
    storeValue(this.prefix + entry.assignment, entry, this.storage);
  }

  /** @param {string} key @returns {Entry|null} */
  #read(key) {
    const entry = storedValue(key, this.storage);
    return entry?.draft ? entry : null;
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

/**
 * A value that the browser keeps for this server, which may share its host with others; null where there is none that
 * can be read.
 * @param {string} name
 * @returns {any}
 */
export function storedValue(name, storage = safeStorage("localStorage")) {
  try {
    return JSON.parse(storage.getItem(at(name)) ?? "null");
  } catch {
    return null;
  }
}

/**
 * Keeps a value; undefined takes it away. A full storage must not stop anybody: it is there until the page closes.
 * @param {string} name
 * @param {unknown} value
 */
export function storeValue(name, value, storage = safeStorage("localStorage")) {
  try {
    if (value === undefined) storage.removeItem(at(name));
    else storage.setItem(at(name), JSON.stringify(value));
  } catch {
    // What goes to the server too is on its way there; a setting holds until the page closes.
  }
}

// ---- What an earlier page left: sent when a screen opens, before it asks for work, or taken up with the work it
// belongs to

const NO_TIME = { first_action_at: null, active_ms: 0, idle_ms: 0, edits: 0 };

/** @template {WorkSession} S */
export class Leftovers {
  /**
   * @param {Object} parts
   * @param {Sender<S["work"]>} parts.messages
   * @param {DraftStorage} parts.storage
   * @param {import("./work_flow.js").Same<S>} parts.same
   * @param {(sentence: string) => void} parts.onlost  something kept can never be sent any more
   * @param {() => boolean} parts.isClosed  whether the screen has gone
   */
  constructor(parts) {
    this.messages = parts.messages;
    this.storage = parts.storage;
    this.same = parts.same;
    this.onlost = parts.onlost;
    this.isClosed = parts.isClosed;
    /** @type {{ status: Refused, body: Refusal<S["work"]> }|null}  of the work that is shown next */
    this.refusal = null;
  }

  /**
   * Submits, skips and discards. The server must not hand these out again, so they go first.
   * @returns {Promise<number|null>}  the instance of a refused one, which is then to be shown with `refusal`
   */
  async sendFinished() {
    let refused = null;
    for (const entry of this.storage.list()) {
      const { finish } = entry;
      if (!finish) continue;
      const answer = await this.#finish({ ...entry, finish });
      if (answer.status === 200 || this.#arrivedBefore(entry, answer)) this.storage.drop(entry.assignment);
      else if (answer.status === 422 || answer.status === 409) [refused, this.refusal] = [entry.instance, answer];
      else if (answer.status === 410 || answer.status === 404) {
        this.onlost(sentenceOf(answer));
        this.storage.drop(entry.assignment);
      }
    }
    return refused;
  }

  /**
   * Sent again if only its draft had arrived: then nobody else was faster, and the server's revision is good.
   * @param {Entry & {finish: NonNullable<Entry["finish"]>}} entry
   * @returns {Promise<Answer<Saved, S["work"]>>}
   */
  async #finish(entry, revision = entry.revision) {
    const { kind, extra } = entry.finish;
    const body = { assignment: entry.assignment, ...extra, ahead: null };
    if (kind === "submit") Object.assign(body, { revision, draft: entry.draft, timing: NO_TIME });
    const answer = await this.messages.post(kind, body);
    if (answer.status !== 409 || !answer.body.work) return answer;
    const { work } = answer.body;
    const isBehind = work.state !== "submitted" && work.revision !== revision;
    return isBehind && this.same(work.draft, entry.draft) ? this.#finish(entry, work.revision) : answer;
  }

  /** @param {Entry} entry @param {{ body: Refusal<S["work"]> }} given */
  #arrivedBefore(entry, { body }) {
    return body.work?.state === "submitted" && (entry.state !== "submitted" || this.same(body.work.draft, entry.draft));
  }

  /**
   * Drafts of texts that are not on the screen: what the server does not take stays until the text is opened.
   * @param {Set<number>} here
   */
  async sendDrafts(here) {
    for (const { assignment, revision, draft, finish, state } of this.storage.list()) {
      if (finish || state === "submitted" || here.has(assignment) || this.isClosed()) continue;
      const answer = await this.messages.post("draft", { assignment, revision, draft, timing: NO_TIME });
      if (answer.status === 200 || this.same(answer.body.work?.draft, draft)) this.storage.drop(assignment);
    }
  }

  /**
   * Gives a session what this browser had kept of it.
   * @param {S} session
   * @returns {boolean} whether that is to be sent
   */
  adopt(session) {
    const entry = this.storage.find(session.id);
    if (!entry) return false;
    // What is finished takes nothing more, unless it was finished already when it was changed here.
    const { state } = session.work;
    const isFinished = state === "decided" || (state === "submitted" && entry.state !== "submitted");
    if (isFinished || this.same(entry.draft, session.work.draft)) {
      this.storage.drop(session.id);
      return false;
    }
    session.load(entry.draft);
    if (entry.revision === session.revision || this.same(entry.sent, session.work.draft)) return true;
    session.conflict = {
      work: session.work,
      error: _("This browser has unsaved changes; newer ones were saved elsewhere."),
    };
    return false;
  }
}

// ---- Where a panel stands, for the next page: its document shows the text there, and the panel begins there

const REMEMBERED = "annotator:place";
/** What the style sheets read of Streamlit's theme. */
const THEME = [
  "text-color",
  "background-color",
  "secondary-background-color",
  "primary-color",
  "base-radius",
  "font",
].map((name) => `--st-${name}`);
/**
 * What decides where a page stands: below a width the sidebar lies over it, below another it is closed, below a height
 * the header lies over it.
 */
const KINDS = ["(prefers-color-scheme: dark)", "(max-width: 768px)", "(max-width: 1000px)", "(max-height: 600px)"];

/**
 * Where a panel stood: pixels beside the page and above the panel.
 * @typedef {{before: number, after: number, top: number, theme: Object<string, string>}} Place
 */

/**
 * Remembers where a panel stands, for the next time, and again when there is more or less room for it: the guidelines
 * were opened or closed, or came after the text.
 */
export class PlaceMemory {
  /** @param {HTMLElement} root @param {"annotate"|"review"|"saliency"} page */
  constructor(root, page) {
    this.root = root;
    this.room = new ResizeObserver(() => rememberPlace(root, page));
  }

  /** From now on, in what the panel stands in now. */
  begin() {
    this.close();
    if (this.root.isConnected) this.room.observe(scrollerOf(this.root));
  }

  close() {
    this.room.disconnect();
  }
}

/** @param {HTMLElement} root @param {string} page */
function rememberPlace(root, page) {
  const tree = root.getRootNode();
  const parent = tree instanceof ShadowRoot ? tree.host : null;
  if (!parent?.isConnected || parent.closest(".annotator-early")) return;
  const scroller = scrollerOf(root);
  const around = scroller.getBoundingClientRect();
  const box = root.getBoundingClientRect();
  const style = getComputedStyle(root);
  const place = {
    before: around.left,
    after: window.innerWidth - around.right,
    top: box.top + scroller.scrollTop - around.top,
    theme: Object.fromEntries(THEME.map((name) => [name, style.getPropertyValue(name)]).filter(([, value]) => value)),
  };
  tellPlaceOfWords(root, scroller, page);
  if (page !== "annotate") return;
  const all = storedPlaces();
  const kind = kindOfWindow();
  if (JSON.stringify(all[kind]) === JSON.stringify(place)) return;
  storeValue(REMEMBERED, { ...all, [kind]: place });
}

let told = "";

/**
 * Where the text stands when nothing is scrolled, for whoever writes the next page's document (routes/first_text.py).
 * @param {HTMLElement} root @param {Element} scroller @param {string} page
 */
function tellPlaceOfWords(root, scroller, page) {
  const map = root.querySelector(".heat-panel:not(.folded) .heat-text");
  const text = root.querySelector(".segment:not(.quiet) .segment-text") ?? map?.querySelector("p:not(.asked)");
  const all = root.querySelector(".text") ?? map?.querySelector("p");
  if (!text || !all) return;
  const { left, top, width } = all.getBoundingClientRect();
  const { fontSize, lineHeight } = getComputedStyle(text);
  const numbers = [left, top + scroller.scrollTop, width, parseFloat(fontSize), parseFloat(lineHeight)];
  const words = `${kindOfWindow()}_${numbers.map((number) => number.toFixed(2)).join("_")}`;
  if (words !== told)
    document.cookie = `annotator_words_${page}=${words}; path=${at("/")}; max-age=31536000; SameSite=Lax`;
  told = words;
}

export const kindOfWindow = () => KINDS.map((query) => Number(matchMedia(query).matches)).join("");

/** By kind of window. @returns {Record<string, Place>} */
export const storedPlaces = () => storedValue(REMEMBERED) || {};
