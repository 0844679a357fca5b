/**
 * What the flows of all screens have in common: fetching work, what an earlier page left behind, a lost connection, a
 * sign-in that ended, two tabs with the same work, and the list of one's own work. A flow of one kind adds what
 * happens when work arrives and leaves.
 */
import { _, dotted } from "../words/language.js";
import { Leftovers } from "./browser_storage.js";
import { openDialog } from "./dialogs.js";
import { button, div, element, inline, option, paragraph, pressable, setText } from "./dom.js";
import { SIGNED_OUT, sentenceOf } from "./messages.js";
import { counted, isMachineKey, when } from "./naming.js";
import { rememberPlace } from "./dialogs.js";
import { Outbox } from "./saving.js";
import { addressOf } from "./streamlit.js";

const TRY_AGAIN_MS = 2000;

/** @param {string} why  the server's sentence, for whoever runs it */
const unstored = (why) =>
  _("The server can't save. Your work is kept in this browser. Tell the administrator: {why}", { why });

/**
 * The screen that shows the work.
 * @typedef {Object} WorkScreen
 * @property {{word: import("./saving.js").SavingLabel}} bar
 * @property {{page: PageNotice|null, setPage: (notice: PageNotice|null) => void}} notices
 * @property {(sentence: string, how?: {stay?: boolean}) => void} hint
 * @property {(sentence: string) => void} showEmpty
 * @property {(words: string, onclick: () => void) => void} offer
 * @property {() => void} refresh
 */
/**
 * Whether two drafts say the same.
 * @template {WorkSession} S
 * @typedef {(a: S["draft"]|null|undefined, b: S["draft"]|null|undefined) => boolean} Same
 */
/**
 * What a flow is made of; N: what its screen begins with.
 * @template {WorkSession} S
 * @template {{project: object}} N
 * @template {WorkScreen} Screen
 * @template {FlowMessages<S, N>} M
 * @typedef {Object} FlowParts
 * @property {M} messages
 * @property {import("./browser_storage.js").DraftStorage} storage
 * @property {Screen} screen
 * @property {Trigger} trigger
 * @property {number} project  its id
 */
/**
 * @template {WorkSession} S
 * @template {{project: object}} N
 * @typedef {(project: number, wanted: number|null) => Promise<Answer<N, S["work"]>>} AskNext
 */
/**
 * @template {WorkSession} S
 * @template {{project: object}} N
 * @typedef {Sender<S["work"]> & {next: AskNext<S, N>}} FlowMessages
 */

/**
 * @template {WorkSession} S
 * @template {{project: object}} N
 * @template {WorkScreen} Screen
 * @template {FlowMessages<S, N>} M
 */
export class WorkFlow {
  /**
   * @param {FlowParts<S, N, Screen, M>} parts
   * @param {{same: Same<S>, lost: string}} kind  lost: what is said of kept work that nobody takes
   */
  constructor(parts, { same, lost }) {
    this.messages = parts.messages;
    this.storage = parts.storage;
    this.screen = parts.screen;
    this.trigger = parts.trigger;
    this.project = parts.project;
    /** @type {S|null} */
    this.current = null;
    this.waiting = true;
    /** @type {SavingWord}  what the bar says */
    this.word = "saved";
    /** @type {N["project"]|null} */
    this.settings = null;
    this.closed = false;
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.again = undefined;
    /** @type {(() => void)|null} */
    this.onretry = null;
    /** @type {Outbox<S>} */
    this.outbox = new Outbox({
      messages: this.messages,
      storage: this.storage,
      same,
      onword: (word) => this.say(word),
      ondone: (job, answer) => this.done(job, answer),
      onrefused: (job, answer) => this.refused(job, answer),
      aheadOf: (session) => this.aheadOf(session),
    });
    /** @type {Leftovers<S>} */
    this.leftovers = new Leftovers({
      messages: this.messages,
      storage: this.storage,
      same,
      isClosed: () => this.closed,
      onlost: (sentence) =>
        this.screen.notices.setPage({ text: _("{title}: {sentence}", { title: lost, sentence }), closable: true }),
    });
  }

  /** The sessions on the screen and behind it. @returns {S[]} */
  get sessions() {
    return this.current ? [this.current] : [];
  }

  /**
   * An answer of `next`, however it came: each flow says what it makes of it.
   * @type {(body: N) => void}
   */
  arrived() {}

  /**
   * What becomes of a message that got through, and of one that was refused.
   * @type {(job: import("./saving.js").Job<S>, answer: { body: Saved }) => void}
   */
  done() {}

  /** @type {(job: import("./saving.js").Job<S>, answer: { status: Refused, body: Refusal<S["work"]> }) => void} */
  refused() {}

  /**
   * The assignment that is on the screen after a session has left.
   * @type {(session: S) => number|null}
   */
  aheadOf() {
    return null;
  }

  /**
   * What stands in the address for a session.
   * @type {(session: S) => Record<string, number>}
   */
  placeOf() {
    return {};
  }

  /**
   * What an earlier page left behind is sent first: the server must not hand it out again.
   * @param {number|null} wanted
   */
  async start(wanted) {
    rememberPlace(() => this.address);
    const refused = await this.leftovers.sendFinished();
    await this.load(refused ?? wanted);
    await this.leftovers.sendDrafts(new Set(this.sessions.map((session) => session.id)));
  }

  /**
   * Fetches work: a given piece of it, or the one that the server chooses.
   * @param {number|null} [wanted]
   */
  async load(wanted = null) {
    this.waiting = true;
    const answer = await this.messages.next(this.project, wanted);
    if (this.closed) return;
    if (answer.status === 200) this.arrived(answer.body);
    else if (answer.status === 0 || answer.status >= 500) this.#loadLater(wanted, answer);
    else if (answer.status === 401) {
      this.#saySignedOut();
      this.onretry = () => this.load(wanted);
    } else {
      this.screen.showEmpty(sentenceOf(answer));
      // A text that one asked for by its address is not one's own to open: there may be others that are.
      if (wanted !== null && wanted !== undefined) this.screen.offer(_("Back to work"), () => this.load());
    }
  }

  /** @param {number|null} wanted @param {{ status: Refused, body: Refusal<S["work"]> }} answer */
  #loadLater(wanted, answer) {
    if (this.current) this.screen.hint(sentenceOf(answer), { stay: true });
    else this.screen.showEmpty(answer.status ? sentenceOf(answer) : _("No connection. Retrying …"));
    this.again = setTimeout(() => this.load(wanted), TRY_AGAIN_MS);
  }

  #saySignedOut() {
    this.screen.notices.setPage({ text: SIGNED_OUT, address: () => this.address });
  }

  /** The address of the page with what is on the screen. */
  get address() {
    return addressOf({ project: this.project, ...(this.current ? this.placeOf(this.current) : {}) });
  }

  /**
   * A session changed: it is kept and sent.
   * @param {S} session
   */
  changed(session) {
    this.outbox.changed(session);
  }

  /** The word in the bar. @param {SavingWord} word */
  say(word) {
    this.word = word;
    this.screen.bar.word.say((word === "saved" && this.current?.unsaved) || word);
    if (word === "signed-out") this.#saySignedOut();
    else if (word === "unstored") this.screen.notices.setPage({ text: unstored(this.outbox.why ?? "") });
    else if (word === "saved" && this.screen.notices.page && !this.screen.notices.page.closable)
      this.screen.notices.setPage(null);
  }

  retry() {
    this.screen.notices.setPage(null);
    this.outbox.retry();
    this.onretry?.();
    this.onretry = null;
  }

  keepMine() {
    const session = this.current;
    if (!session?.conflict) return;
    session.revision = session.conflict.work.revision;
    session.conflict = null;
    session.version += 1;
    this.screen.refresh();
    this.changed(session);
  }

  /** What was here is one step of the session: where it has a history, one undo away. */
  takeTheirs() {
    const session = this.current;
    if (!session?.conflict) return;
    const { work } = session.conflict;
    session.revision = work.revision;
    session.conflict = null;
    session.load(work.draft);
    session.saved = session.version;
    this.outbox.hold(session);
    this.screen.refresh();
  }

  /** Until what was finished last is stored, so that a list of one's work has it; offline not for long. */
  async stored() {
    const end = Date.now() + 2000;
    while (this.outbox.isFinishing() && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 50));
  }

  /** The flow ends with its screen. */
  close() {
    this.closed = true;
    rememberPlace(null);
    clearTimeout(this.again);
    this.outbox.close();
  }
}

// ---- A list of one's own work: searched, by state, page by page

const PAUSE_MS = 250;

/**
 * @template {OwnRow} Row
 * @typedef {Object} Words
 * @property {string} title
 * @property {string} search  what the field for words is called
 * @property {(n: number) => string} count  so many lines ("3 texts")
 * @property {Object<string, string>} states  in the words of the screen
 * @property {string} none  the list is empty
 * @property {string} noMatch  nothing is found
 * @property {(row: Row) => Array<string|null|false>} facts  beside the state
 * @property {(row: Row) => string[]} lines  below them
 */

/** @typedef {{page: number, state: string, words: string}} Asked */

/**
 * @template {OwnRow} Row
 * @param {HTMLElement} root
 * @param {Words<Row>} words
 * @param {(asked: Asked) => Promise<Answer<OwnPage<Row>, object>>} fetchPage
 * @param {(row: Row) => void} onopen
 */
export function openOwnList(root, words, fetchPage, onopen) {
  const asked = { page: 1, state: "", words: "" };
  const list = div("mine");
  const where = element("span", { class: "page-words", role: "status" });
  const search = element("input", {
    type: "text",
    class: "answer",
    placeholder: _("ID or words"),
    "aria-label": words.search,
    oninput: () => later({ words: search.value }),
  });
  const state = element(
    "select",
    { class: "labels", "aria-label": _("State"), onchange: () => ask({ state: state.value, page: 1 }) },
    option("", _("All states")),
    ...Object.entries(words.states).map(([value, said]) => option(value, said)),
  );
  const back = button(_("Previous page"), { className: "plain", onclick: () => ask({ page: asked.page - 1 }) });
  const forth = button(_("Next page"), { className: "plain", onclick: () => ask({ page: asked.page + 1 }) });
  const dialog = openDialog(
    root,
    words.title,
    div("mine-asked", search, state),
    list,
    div("dialog-foot", where, back, forth),
  );
  dialog.classList.add("my-work");
  /** @type {ReturnType<typeof setTimeout>|undefined} */
  let timer;
  let newest = 0;

  /** @param {Partial<Asked>} change */
  function later(change) {
    clearTimeout(timer);
    timer = setTimeout(() => ask({ ...change, page: 1 }), PAUSE_MS);
  }

  /** @param {Partial<Asked>} change */
  async function ask(change) {
    Object.assign(asked, change);
    const mine = (newest += 1);
    const answer = await fetchPage({ ...asked });
    // Only the newest question counts: an answer to an earlier one may come after it.
    if (mine === newest && dialog.isConnected) show(answer);
  }

  /** @param {Answer<OwnPage<Row>, object>} answer */
  function show(answer) {
    const { status, body } = answer;
    if (status !== 200)
      return list.replaceChildren(element("p", { class: "dialog-words", role: "alert" }, sentenceOf(answer)));
    const pages = Math.max(1, Math.ceil(body.total / body.page_size));
    back.disabled = asked.page <= 1;
    forth.disabled = asked.page >= pages;
    setText(where, `${words.count(body.total)} · ${_("page {page} of {pages}", { page: asked.page, pages })}`);
    /** @param {Row} row */
    const open = (row) => {
      dialog.close();
      onopen(row);
    };
    const isAll = !asked.state && !asked.words.trim();
    list.replaceChildren(
      ...(body.rows.length
        ? body.rows.map((row) => rowOf(words, row, open))
        : [paragraph("dialog-words", isAll ? words.none : words.noMatch)]),
    );
    list.scrollTop = 0;
  }

  search.focus();
  ask({});
}

/**
 * @template {OwnRow} Row
 * @param {Words<Row>} words
 * @param {Row} row
 * @param {(row: Row) => void} onopen
 */
function rowOf({ states, facts, lines }, row, onopen) {
  const isNamed = !isMachineKey(row.key);
  const said = [row.sets && counted(row.sets, "set"), when(row.at), isNamed && row.key, ...facts(row)];
  return pressable(
    "mine-row",
    {
      title: isNamed ? _("Open this text ({key})", { key: row.key }) : _("Open this text"),
      onclick: () => onopen(row),
    },
    element("span", { class: "mine-text", dir: "auto" }, row.excerpt || row.key),
    inline(
      "mine-facts",
      element("b", { class: "mine-state", "data-state": row.state }, states[row.state] ?? row.state),
      " · ",
      // A bdi: an answer from right to left does not turn round what stands beside it
      row.result && element("bdi", {}, row.result),
      `${row.result ? " · " : ""}${dotted(...said)}`,
    ),
    ...lines(row).map((line) => element("span", { class: "mine-line", dir: "auto" }, line)),
  );
}
