/**
 * Talk about the text on the screen: a dialog with its threads, their answers, and a question to the lead; and the
 * count of comments in the head. It is asked for when the text is there already, so that nothing waits for it. See
 * docs/panel.md, "Talk".
 */
import { openDialog, when } from "./dialogs.js";
import { button, element, setText } from "./dom.js";
import { Messages, sentenceOf } from "./messages.js";
import { nameOf } from "./naming.js";

const AFTER_THE_TEXT_MS = 300;
const SEEN = "annotator-talk:";
const LONGEST = 10000;

export class Talk {
  /** @param {Object} parts  routes, csrf, project (its id), screen */
  constructor({ routes, csrf, project, screen }) {
    this.project = project;
    this.screen = screen;
    this.messages = new Messages(routes, csrf);
    /** Words that were typed and not sent, by instance: closing the dialog loses nothing. */
    this.unsent = new Map();
  }

  /** Another text is on the screen. */
  show(session) {
    this.close();
    this.instance = session.work.instance.id;
    this.name = nameOf(session.work.instance);
    this.#count({ threads: [] });
    this.timer = setTimeout(() => this.#look(this.instance), AFTER_THE_TEXT_MS);
  }

  close() {
    clearTimeout(this.timer);
    this.dialog?.close();
  }

  async #look(instance) {
    const answer = await this.messages.get("of", { project: this.project, instance });
    if (answer.status === 200 && instance === this.instance) this.#count(answer.body);
    return answer;
  }

  #count({ threads }) {
    const comments = commentsOf(threads);
    const last = lastOf(comments);
    this.screen.head.showTalk(comments.length, last > seenOf(this.instance));
  }

  async open() {
    if (this.instance === undefined || this.dialog?.open) return;
    const { instance } = this;
    const body = element("div", { class: "talk" }, element("p", { class: "dialog-words" }, "…"));
    this.dialog = openDialog(this.screen.root, `Comments on ${this.name}`, body);
    const answer = await this.#look(instance);
    if (answer.status !== 200) return body.replaceChildren(element("p", { class: "dialog-words" }, sentenceOf(answer)));
    this.#fill(body, answer.body);
  }

  #fill(body, talk) {
    markSeen(this.instance, lastOf(commentsOf(talk.threads)));
    this.#count(talk);
    const threads = talk.threads.map((thread) => this.#thread(body, thread));
    const asking = this.#asking(body, talk.subjects);
    body.replaceChildren(...threads, asking);
    asking.querySelector("textarea").focus();
  }

  #thread(body, thread) {
    const send = (text) => this.#send(body, "answer", { thread: thread.id, text });
    const waits = thread.waits_for_lead && element("span", { class: "waits" }, "waiting for the lead's answer");
    return element(
      "section",
      { class: "thread" },
      element("h3", {}, `About ${thread.about}`, waits),
      ...thread.comments.map(commentOf),
      this.#entry({ label: "Answer", rows: 1, keep: `answer ${thread.id}`, send }),
    );
  }

  #asking(body, subjects) {
    const about = element(
      "select",
      { class: "labels", "aria-label": "About" },
      ...subjects.map(({ words }, index) => element("option", { value: String(index) }, words)),
    );
    const lead = element("input", { type: "checkbox", checked: true });
    const send = (text) => {
      const { about: kind, annotation, position } = subjects[Number(about.value)];
      const to = { project: this.project, instance: this.instance, about: kind, annotation, position };
      return this.#send(body, "begin", { ...to, text, to_lead: lead.checked });
    };
    return element(
      "section",
      { class: "thread asking" },
      element("h3", {}, "A question or comment"),
      subjects.length > 1 && element("label", { class: "about" }, "About ", about),
      this.#entry(
        { label: "Ask", rows: 3, keep: `ask ${this.instance}`, send, placeholder: "your question or comment" },
        element("label", { class: "reason" }, lead, "Ask the lead to answer"),
      ),
    );
  }

  /** A field with its button; Ctrl+Enter sends. */
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
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      go();
    });
    return element(
      "div",
      { class: rows > 1 ? "entry" : "entry short" },
      field,
      trouble,
      element("div", { class: "dialog-foot" }, ...more, sender),
    );
  }

  /** @returns {Promise<string|null>} why it was refused */
  async #send(body, route, message) {
    const { instance } = this;
    const answer = await this.messages.post(route, message);
    if (answer.status !== 200) return sentenceOf(answer);
    // What was sent is no longer unsent before the dialog is filled anew.
    this.unsent.delete(route === "answer" ? `answer ${message.thread}` : `ask ${instance}`);
    if (instance === this.instance && body.isConnected) this.#fill(body, answer.body);
    return null;
  }
}

const commentsOf = (threads) => threads.flatMap((thread) => thread.comments);

/** The newest comment of somebody else. */
const lastOf = (comments) => Math.max(0, ...comments.filter((comment) => !comment.mine).map((comment) => comment.id));

function commentOf({ author, voice, mine, text, at }) {
  return element(
    "div",
    { class: mine ? "comment own" : "comment" },
    element(
      "span",
      { class: "comment-who" },
      element("b", {}, mine ? "You" : author),
      mine ? null : ` · ${voice}`,
      ` · ${when(at)}`,
    ),
    element("p", { class: "comment-text", dir: "auto" }, text),
  );
}

function seenOf(instance) {
  try {
    return Number(localStorage.getItem(SEEN + instance)) || 0;
  } catch {
    return 0;
  }
}

function markSeen(instance, last) {
  try {
    if (last > seenOf(instance)) localStorage.setItem(SEEN + instance, String(last));
  } catch {
    // Without storage the count is shown as new again; that is all.
  }
}
