/**
 * Talk about the text on the screen: a dialog with its threads, their answers, and a question to the lead; and the
 * count of comments in the head. It is asked for when the text is there already, so that nothing waits for it. See
 * docs/panel.md, "Talk".
 */
import { _ } from "../words/language.js";
import { storeValue, storedValue } from "./browser_storage.js";
import { openDialog, sendOnEnter } from "./dialogs.js";
import { button, div, element, inline, option, paragraph, part, setText } from "./dom.js";
import { Messages, sentenceOf } from "./messages.js";
import { nameOf, when } from "./naming.js";

const AFTER_THE_TEXT_MS = 300;
const SEEN = "annotator-talk:";
const LONGEST = 10000;

/**
 * The screen whose text is talked about.
 * @typedef {{root: HTMLElement, head: import("./head.js").Head, hint: (sentence: string) => void}} Screen
 */
/**
 * A field with its button: `keep` names what was typed and not sent.
 * @typedef {{label: string, rows: number, keep: string, send: Send, placeholder?: string}} Entry
 */
/** @typedef {(text: string) => Promise<string|null>} Send  why it was refused */

export class Talk {
  /** @param {MountData} data @param {Screen} screen */
  constructor({ csrf, project }, screen) {
    this.project = project;
    this.screen = screen;
    /** @type {Messages<TalkRoutes>} */
    this.messages = new Messages("/api/talk", csrf);
    /** @type {Map<string, string>}  words that were typed and not sent: closing the dialog loses nothing */
    this.unsent = new Map();
    /** @type {number|null}  the text on the screen */
    this.instance = null;
    this.name = "";
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.timer = undefined;
    /** @type {HTMLDialogElement|null} */
    this.dialog = null;
  }

  /**
   * Another text is on the screen.
   * @param {WorkSession} session
   */
  show(session) {
    this.close();
    const { instance } = session.work;
    this.instance = instance.id;
    this.name = nameOf(instance);
    this.#count(instance.id, []);
    this.timer = setTimeout(() => this.#look(instance.id), AFTER_THE_TEXT_MS);
  }

  close() {
    clearTimeout(this.timer);
    this.dialog?.close();
  }

  /** @param {number} instance @param {{ read?: number }} [more]  read: it is opened, and not only counted */
  async #look(instance, more = {}) {
    const answer = await this.messages.get("of", { project: this.project, instance, ...more });
    if (answer.status === 200 && instance === this.instance) this.#count(instance, answer.body.threads);
    return answer;
  }

  /** @param {number} instance @param {ShownThread[]} threads */
  #count(instance, threads) {
    const comments = commentsOf(threads);
    const last = lastOf(comments);
    const isNew = last > seenOf(instance);
    this.screen.head.showTalk(comments.length, isNew);
    if (isNew && !this.dialog?.open) this.screen.hint(_("New comments: press q to read them."));
  }

  async open() {
    const { instance } = this;
    if (instance === null || this.dialog?.open) return;
    const body = div("talk", paragraph("dialog-words", "…"));
    this.dialog = openDialog(this.screen.root, _("Comments on {name}", { name: this.name }), body);
    const answer = await this.#look(instance, { read: 1 });
    if (answer.status !== 200) return body.replaceChildren(paragraph("dialog-words", sentenceOf(answer)));
    this.#fill(body, instance, answer.body);
  }

  /** @param {HTMLElement} body @param {number} instance @param {ShownTalk} talk */
  #fill(body, instance, talk) {
    storeValue(SEEN + instance, Math.max(seenOf(instance), lastOf(commentsOf(talk.threads))));
    this.#count(instance, talk.threads);
    const threads = talk.threads.map((thread) => this.#thread(body, instance, thread));
    const asking = this.#asking(body, instance, talk.subjects, !threads.length);
    body.replaceChildren(...threads, asking);
    part(threads.at(-1) ?? asking, "textarea", HTMLTextAreaElement).focus();
  }

  /** @param {HTMLElement} body @param {number} instance @param {ShownThread} thread */
  #thread(body, instance, thread) {
    const keep = `thread-${thread.id}`;
    /** @type {Send} */
    const send = (text) => this.#send(body, instance, keep, "answer", { thread: thread.id, text });
    const waits = thread.waits_for_lead && inline("waits", _("waiting for the lead"));
    return element(
      "section",
      { class: "thread" },
      element("h3", {}, _("About {about}", { about: thread.about }), waits),
      ...thread.comments.map(commentOf),
      this.#entry({ label: thread.comments.at(-1)?.mine ? _("Add") : _("Answer"), rows: 1, keep, send }),
    );
  }

  /**
   * Closed below what was already asked, which is answered above.
   * @param {HTMLElement} body
   * @param {number} instance
   * @param {ShownSubject[]} subjects
   * @param {boolean} open
   */
  #asking(body, instance, subjects, open) {
    const keep = `text-${instance}`;
    const about = element(
      "select",
      { class: "labels", "aria-label": _("About") },
      ...subjects.map(({ words }, index) => option(String(index), words)),
    );
    const lead = element("input", { type: "checkbox", checked: true });
    const readers = paragraph("dialog-words");
    const sayReaders = () => setText(readers, readersOf(subjects[Number(about.value)]));
    about.onchange = sayReaders;
    sayReaders();
    /** @type {Send} */
    const send = (text) => {
      const { about: kind, annotation, position } = subjects[Number(about.value)];
      const to = { project: this.project, instance, about: kind, annotation, position };
      return this.#send(body, instance, keep, "begin", { ...to, text, to_lead: lead.checked });
    };
    return element(
      "details",
      { class: "thread asking", open: open || this.unsent.has(keep) },
      element("summary", {}, _("A question or comment")),
      subjects.length > 1 && element("label", { class: "about" }, _("About"), " ", about),
      readers,
      this.#entry(
        { label: _("Ask"), rows: 3, keep, send, placeholder: _("A question or comment") },
        element("label", { class: "reason" }, lead, _("Ask the lead to reply")),
      ),
    );
  }

  /**
   * A field with its button; Ctrl+Enter sends.
   * @param {Entry} given
   * @param {...Child} more
   */
  #entry({ label, rows, keep, send, placeholder = "" }, ...more) {
    const field = element("textarea", {
      class: "note",
      rows,
      maxLength: LONGEST,
      "aria-label": label,
      placeholder: placeholder || label,
      value: this.unsent.get(keep) || "",
      oninput: () => this.unsent.set(keep, field.value),
    });
    const trouble = element("p", { class: "trouble", role: "alert", hidden: true });
    const go = async () => {
      if (!field.value.trim() || sender.disabled) return field.focus();
      sender.disabled = true;
      const refusal = await send(field.value);
      sender.disabled = false;
      trouble.hidden = !refusal;
      if (refusal) setText(trouble, refusal);
    };
    const sender = button(label, { key: "Ctrl+⏎", className: rows > 1 ? "primary" : "", onclick: go });
    sendOnEnter(field, go);
    return div(rows > 1 ? "entry" : "entry short", field, trouble, div("dialog-foot", ...more, sender));
  }

  /**
   * @param {HTMLElement} body
   * @param {number} instance
   * @param {string} keep  the name of what was typed
   * @param {"begin"|"answer"} route
   * @param {object} message
   * @returns {Promise<string|null>} why it was refused
   */
  async #send(body, instance, keep, route, message) {
    const answer = await this.messages.post(route, message);
    if (answer.status !== 200) return sentenceOf(answer);
    // What was sent is no longer unsent before the dialog is filled anew.
    this.unsent.delete(keep);
    if (instance === this.instance && body.isConnected) this.#fill(body, instance, answer.body);
    return null;
  }
}

/** @param {ShownThread[]} threads */
const commentsOf = (threads) => threads.flatMap((thread) => thread.comments);

/**
 * The newest comment of somebody else.
 * @param {ShownComment[]} comments
 */
const lastOf = (comments) => Math.max(0, ...comments.filter((comment) => !comment.mine).map((comment) => comment.id));

/** @param {ShownSubject} given */
const readersOf = ({ about }) =>
  about === "instance"
    ? _("Only the lead reads this.")
    : _("The lead reads this; annotator and reviewers may, without your name.");

/**
 * Of whoever is not named (docs/panel.md, "Talk") stands what they are.
 * @param {ShownComment} given
 */
function commentOf({ author, voice, mine, text, at }) {
  return div(
    mine ? "comment own" : "comment",
    inline(
      "comment-who",
      element("b", {}, mine ? _("You") : author || voice),
      mine || !author ? null : ` · ${voice}`,
      ` · ${when(at)}`,
    ),
    element("p", { class: "comment-text", dir: "auto" }, text),
  );
}

/** The newest comment that was seen in this browser. @param {number} instance @returns {number} */
const seenOf = (instance) => storedValue(SEEN + instance) || 0;
