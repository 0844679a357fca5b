/**
 * Where a changed version is written: kind, copy, result, note, what it comes to, and the way out. For new ones,
 * revisions and corrections.
 */
import { storeValue, storedValue } from "../shared/browser_storage.js";
import { act, button, div, element, inline, isCombined, isSend, part, setText } from "../shared/dom.js";
import { isForLater, retryAfter, sentenceOf } from "../shared/messages.js";
import { inPercent, nameOf } from "../shared/naming.js";
import { SavingLabel } from "../shared/saving.js";
import { _, several } from "../words/language.js";
import { KindField, ResultField, Suggestions } from "./desk_fields.js";
import { Pair } from "./side_by_side.js";

// ---- What the text comes to: asked a moment after the last keystroke, one question at a time, and kept meanwhile

const PAUSE_MS = 250;

/**
 * A text that is written: `key` of its entry in the browser's storage; `isKept`: whether the server keeps it as a
 * draft.
 * @typedef {Object} Asked
 * @property {string} key
 * @property {(changed: Changed, turn: Turn) => Promise<Answer<Look>>} ask
 * @property {() => Changed} value
 * @property {boolean} isKept
 */
/**
 * How far it has come: the version that is written, and the one that the server knows; `writer` names this writing, so
 * that of two messages which overtake each other the older is not kept.
 * @typedef {Asked & {writer: string, version: number, saved: number, tries: number,
 *   sending: Promise<Answer<Look>>|null, timer: ReturnType<typeof setTimeout>|undefined}} Written
 */

export class Looking {
  /**
   * @param {Object} parts
   * @param {(look: Look, isNewest: boolean) => void} parts.onlook
   * @param {(word: SavingWord) => void} parts.onword
   * @param {(sentence: string) => void} parts.onproblem  why it can be neither looked at nor kept
   */
  constructor(parts) {
    this.onlook = parts.onlook;
    this.onword = parts.onword;
    this.onproblem = parts.onproblem;
    /** @type {Written|null} */
    this.work = null;
    this.leaving = new AbortController();
    const { signal } = this.leaving;
    window.addEventListener("pagehide", () => this.#flush(), { signal });
    window.addEventListener("online", () => this.retry(), { signal });
  }

  /** @param {Asked} work */
  begin(work) {
    this.stop();
    const writer = Math.random().toString(36).slice(2);
    this.work = { ...work, writer, version: 0, saved: 0, tries: 0, sending: null, timer: undefined };
    this.onword(work.isKept ? "saved" : "kept");
  }

  /**
   * What this browser still has of a text that did not reach the server.
   * @param {string} key
   * @returns {Changed|null}
   */
  static entry(key) {
    const entry = storedValue(key);
    return entry?.texts ? entry : null;
  }

  /** @param {string} key */
  static forget(key) {
    storeValue(key, undefined);
  }

  /** Something was typed. @param {number} [pause]  0: at once, for what is no keystroke */
  changed(pause = PAUSE_MS) {
    const { work } = this;
    if (!work) return;
    work.version += 1;
    storeValue(work.key, work.value());
    if (work.isKept) this.onword("saving");
    this.#goAfter(work, pause);
  }

  /** @param {Written} work @param {number} pause */
  #goAfter(work, pause) {
    clearTimeout(work.timer);
    work.timer = setTimeout(() => {
      work.timer = undefined;
      this.#go(work);
    }, pause);
  }

  /** @param {Written} work */
  async #go(work) {
    if (work.sending || this.work !== work) return;
    const { version } = work;
    const asked = performance.now();
    work.sending = work.ask(work.value(), turnOf(work));
    const answer = await work.sending;
    work.sending = null;
    if (this.work !== work) return;
    if (answer.status === 200) this.#arrived(work, version, answer.body, asked);
    else if (isForLater(answer)) return this.#later(work, answer);
    else {
      this.onword("held");
      this.onproblem(sentenceOf(answer));
    }
    if (work.version !== version && !work.timer) this.#go(work);
  }

  /** @param {Written} work @param {number} version @param {Look} look @param {number} asked */
  #arrived(work, version, look, asked) {
    Object.assign(work, { saved: version, tries: 0 });
    const isNewest = version === work.version;
    if (isNewest && work.isKept) {
      Looking.forget(work.key);
      this.onword("saved");
    }
    this.onlook(look, isNewest);
    performance.measure("annotator:look", { start: asked });
  }

  /** @param {Written} work @param {{ status: Refused }} given */
  #later(work, { status }) {
    this.onword(status === 401 ? "signed-out" : "offline");
    work.tries += 1;
    this.#goAfter(work, retryAfter(work.tries - 1));
  }

  /** The connection is back. */
  retry() {
    const { work } = this;
    if (!work || work.version === work.saved) return;
    clearTimeout(work.timer);
    work.timer = undefined;
    this.#go(work);
  }

  /** Waits for what is on its way; what was not sent yet is contained in what comes next. */
  async settle() {
    const { work } = this;
    clearTimeout(work?.timer);
    if (work) work.timer = undefined;
    await work?.sending;
  }

  /** It was handed in: nothing more is sent or kept of it. */
  finish() {
    if (this.work) Looking.forget(this.work.key);
    this.#drop();
  }

  /** Another text takes its place: what was not sent yet is sent without waiting. */
  stop() {
    this.#flush();
    this.#drop();
  }

  #drop() {
    clearTimeout(this.work?.timer);
    this.work = null;
  }

  #flush() {
    const { work } = this;
    if (!work?.isKept || work.version === work.saved) return;
    const sent = JSON.stringify(work.value());
    work.ask(work.value(), turnOf(work)).then(({ status }) => {
      if (status === 200 && JSON.stringify(Looking.entry(work.key)) === sent) Looking.forget(work.key);
    });
  }

  destroy() {
    this.stop();
    this.leaving.abort();
  }
}

/** @param {Written} work @returns {Turn} */
const turnOf = ({ writer, version }) => ({ writer, turn: version });

const SUGGEST_AFTER_MS = 500;

class Desk {
  /** @param {Omit<PerturbParts, "data"> & {aside?: Node|null}} parts  aside: stands below the original */
  constructor({ rules, messages, stage, aside = null }) {
    this.rules = rules;
    this.messages = messages;
    this.stage = stage;
    /** @type {DeskWork|null} */
    this.work = null;
    /** Whether somebody has said that no set need be left; whether it is being sent. */
    this.isConfirmed = false;
    this.isSending = false;
    /** @type {string|null}  the result that came with the type */
    this.usual = null;
    /** @type {string|null}  the sentences that stand there */
    this.said = null;
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.suggestTimer = undefined;
    this.word = new SavingLabel();
    this.kind = new KindField(rules.kinds, () => this.#kindChosen());
    this.result = new ResultField(rules, () => this.#changed(0));
    this.looking = new Looking({
      onlook: (look, isNewest) => this.#looked(look, isNewest),
      onword: (word) => this.word.say(word),
      onproblem: (said) => this.#say([said]),
    });
    this.suggestions = new Suggestions({
      ask: (segment, text, kind, seed) =>
        messages.post("suggest", { instance: this.work?.original.id, segment, text, kind, seed }),
      typed: (segment) => this.pair.typed(segment),
      apply: (segment, edits) => this.pair.apply(segment, edits),
      titleOf: (segment) => rules.titles[segment] || segment,
    });
    this.reason = element("input", {
      class: "answer reason-field",
      type: "text",
      "aria-label": _("Reason"),
      placeholder: _("what you corrected, and why"),
      oninput: () => this.#unconfirm(),
    });
    this.reasonBox = element("label", { class: "kind reason-box" }, inline("result-title", _("Reason")), this.reason);
    this.send = button(_("Submit"), { key: "Ctrl+⏎", className: "primary", onclick: () => this.submit() });
    this.cancel = button(_("Back"), { key: "Esc", className: "plain", onclick: () => this.work?.onleave?.() });
    this.facts = element("p", { class: "desk-facts", "aria-live": "polite" });
    this.problems = element("ul", { class: "desk-problems", role: "status" });
    this.notes = element("ul", { class: "desk-notes", "aria-label": _("What happens to the sets") });
    this.note = element("textarea", {
      class: "note",
      rows: 2,
      "aria-label": _("Note"),
      placeholder: _("what changed, and why the label is right"),
      oninput: () => this.#changed(),
    });
    this.bar = div(
      "bar",
      div(
        "row main-row",
        div("result-group", this.kind.root, this.result.root, this.reasonBox),
        div("ways", this.word.root, this.cancel, this.send),
      ),
      div("row desk-row", div("desk-told", this.kind.words, this.facts), this.problems),
    );
    const more = div(
      "desk-more",
      this.notes,
      element("label", { class: "note-box" }, inline("note-title", _("Note")), this.note),
    );
    /** @type {Pair} */
    this.pair = new Pair(
      () => this.#changed(),
      [aside ? [this.suggestions.root, aside] : [this.suggestions.root], [more]],
    );
    this.root = div("desk", this.bar, div("desk-body", this.pair.root, this.kind.list));
  }

  /** @param {DeskWork} work */
  open(work) {
    this.looking.stop();
    clearTimeout(this.suggestTimer);
    this.work = work;
    const changed = Looking.entry(work.key) ?? work.changed;
    this.pair.show(work.original, this.rules.titles, { dark: this.stage.dark, texts: changed.texts });
    this.kind.show(changed.kind);
    this.result.show(work.original.result, changed.result);
    this.usual = null;
    this.note.value = changed.note || "";
    this.reason.value = "";
    this.reasonBox.hidden = !work.wantsReason;
    this.cancel.hidden = !work.onleave;
    this.suggestions.root.hidden = !work.suggests;
    this.suggestions.clear();
    this.#unconfirm();
    this.#say([]);
    this.looking.begin({ key: work.key, isKept: work.isKept, ask: work.look, value: () => this.changed });
    this.#showKind();
    if (this.kind.value) this.#begin();
  }

  get changed() {
    return { kind: this.kind.value, texts: this.pair.texts(), result: this.result.value, note: this.note.value };
  }

  #showKind() {
    const has = Boolean(this.kind.value);
    this.root.classList.toggle("no-kind", !has);
    for (const made of [this.result.root, this.send, this.word.root, this.problems, this.facts]) made.hidden = !has;
    this.kind.root.hidden = !has;
  }

  #kindChosen() {
    this.stage.clearDone();
    this.#takeUsual();
    this.#showKind();
    this.#unconfirm();
    this.#begin();
    this.pair.focus();
  }

  /** The original's result, where the type usually keeps it and nobody has chosen another. */
  #takeUsual() {
    const original = this.work?.original.result ?? null;
    const usual = this.kind.byName.get(this.kind.value)?.keeps_label ? original : null;
    if (this.result.value === null || this.result.value === this.usual) this.result.show(original, usual);
    this.usual = usual;
  }

  #begin() {
    this.looking.changed(0);
    if (!this.work?.suggests) return;
    const { segments, direction } = this.work.original;
    this.suggestions.show(
      this.kind.value,
      segments.map(({ name }) => name),
      direction,
    );
  }

  /** @param {number} [pause]  0: at once, for what is no keystroke */
  #changed(pause) {
    this.stage.clearDone();
    this.#unconfirm();
    this.looking.changed(pause);
  }

  #unconfirm() {
    this.isConfirmed = false;
    setText(part(this.send, ".button-label", HTMLElement), this.work?.words || _("Submit"));
    this.problems.classList.remove("asked");
  }

  /** @param {Look} look @param {boolean} isNewest */
  #looked(look, isNewest) {
    const { work } = this;
    if (!work) return;
    this.pair.showLook(look);
    setText(this.facts, factsOf(look, work.original));
    this.notes.replaceChildren(...look.notes.map((said) => element("li", {}, said)));
    if (isNewest) this.#say(look.problems.length ? look.problems : [look.nothing_left, this.#doubt(work)]);
    clearTimeout(this.suggestTimer);
    if (work.suggests) this.suggestTimer = setTimeout(() => this.suggestions.follow(), SUGGEST_AFTER_MS);
    performance.mark("annotator:looked");
  }

  /** That the label is not what the type leads one to expect. @param {DeskWork} work */
  #doubt({ original }) {
    const keeps = this.kind.byName.get(this.kind.value)?.keeps_label ?? null;
    if (keeps === null || original.result === null || keeps === (this.result.value === original.result)) return "";
    if (keeps) return _("The result isn't the original's; this type usually keeps it.");
    return _("The result is the original's; this type usually changes it.");
  }

  /** @param {string[]} sentences */
  #say(sentences) {
    const lines = sentences.filter(Boolean);
    const shown = lines.join("\n");
    if (shown === this.said) return;
    this.said = shown;
    this.problems.replaceChildren(...lines.map((line) => element("li", {}, line)));
  }

  /** Hands it in; where nothing is left a second press says that it is meant. */
  async submit() {
    const { work } = this;
    if (!work || !this.kind.value || this.isSending) return;
    if (work.wantsReason && !this.reason.value.trim())
      return this.#refuse(_("Say briefly what you corrected."), this.reason);
    if (!this.result.isAnswer && !this.result.value)
      return this.#refuse(_("Choose the label of the perturbed text."), this.result);
    this.isSending = true;
    this.stage.clearDone();
    this.root.classList.add("busy");
    await this.looking.settle();
    const answer = await work.send(this.changed, this.isConfirmed, this.reason.value);
    this.isSending = false;
    this.root.classList.remove("busy");
    if (this.work !== work) return;
    if (answer.status === 200) {
      this.looking.finish();
      this.work = null;
      work.onsent(answer.body);
    } else this.#refused(answer);
  }

  /** @param {{ status: Refused, body: Refusal }} answer */
  #refused(answer) {
    if (answer.body.warning) {
      this.isConfirmed = true;
      setText(part(this.send, ".button-label", HTMLElement), _("Submit anyway"));
    }
    this.looking.retry();
    this.#refuse(sentenceOf(answer));
  }

  /** @param {string} sentence @param {{focus: () => void}|null} [at]  the field that is meant */
  #refuse(sentence, at = null) {
    this.said = null;
    this.#say([sentence]);
    this.problems.classList.add("asked");
    this.stage.announce(sentence);
    at?.focus();
  }

  /**
   * Puts what another tab wrote in the place of what stands here.
   * @param {Changed} changed
   */
  take(changed) {
    const { work } = this;
    if (!work) return;
    Looking.forget(work.key);
    this.looking.finish();
    this.open({ ...work, changed });
  }

  /** What was written stays in the browser, if anything was. */
  close() {
    const { work } = this;
    const isSame = work && !work.isKept && JSON.stringify(this.changed) === JSON.stringify(plain(work));
    this.looking.stop();
    if (work && isSame) Looking.forget(work.key);
    clearTimeout(this.suggestTimer);
    this.work = null;
  }

  /** A single key, while one does not type. @param {KeyboardEvent} event */
  key(event) {
    if (!this.work) return false;
    const { key } = event;
    const hasKind = Boolean(this.kind.value);
    const digit = /^[1-9]$/.test(key) && this.rules.labels[Number(key) - 1];
    if (hasKind && digit && !this.result.isAnswer) return (this.result.choose(digit), true);
    if (key.startsWith("Arrow") && !walks(event.composedPath()[0], hasKind)) return false;
    if (!hasKind)
      return act(
        { k: () => this.kind.step(0), ArrowDown: () => this.kind.step(1), ArrowUp: () => this.kind.step(-1) },
        key,
      );
    const acts = {
      e: () => this.pair.focus(),
      l: () => this.result.focus(),
      k: () => this.kind.field.focus(),
      t: () => this.note.focus(),
      s: () => this.suggestions.step(0),
      "+": () => this.suggestions.next(),
      ArrowDown: () => this.suggestions.step(1),
      ArrowUp: () => this.suggestions.step(-1),
    };
    return act(acts, key);
  }

  /** @param {boolean} dark */
  theme(dark) {
    this.pair.theme(dark);
  }

  destroy() {
    this.close();
    this.looking.destroy();
  }
}

/**
 * Whether an arrow key means the suggestions or the kinds; in a text that scrolls it scrolls.
 * @param {EventTarget} target
 * @param {boolean} hasKind
 */
const walks = (target, hasKind) =>
  target instanceof Element &&
  (target.closest(".suggestion, .kind-row") !== null || (!hasKind && !target.closest(".pair-text, .list, .tabs")));

/** A tab with a desk: what it has of the screen, and which version of which original is on it. */
export class DeskTab {
  /** @param {PerturbParts} parts @param {Node|null} [aside]  stands below the original */
  constructor(parts, aside = null) {
    this.data = parts.data;
    this.rules = parts.rules;
    this.messages = parts.messages;
    this.stage = parts.stage;
    this.desk = new Desk({ ...parts, aside });
    /** @type {Perturbation|null} */
    this.one = null;
    /** @type {PairInstance|null} */
    this.original = null;
    /** The newest question to the server. */
    this.asked = 0;
  }

  get perturbation() {
    return this.one?.id ?? null;
  }

  /** What the browser's tab is named after. */
  get shownKey() {
    return this.one && this.original ? nameOf(this.original) : "";
  }

  /** The name of the text, with what else is to be known of it. @param {HTMLElement} title @param {string} facts */
  showTitle(title, facts) {
    const { original } = this;
    if (!original) return;
    title.title = _("Text ID: {key}", { key: this.one?.key ?? original.key });
    title.replaceChildren(nameOf(original), element("small", {}, facts));
  }

  /**
   * A key at the desk.
   * @param {KeyboardEvent} event
   * @param {boolean} isTyping
   * @param {() => void} [leave]  where there is a way back from it
   * @returns {boolean} whether the key meant something here
   */
  deskKey(event, isTyping, leave) {
    if (isSend(event)) return (this.desk.submit(), true);
    if (leave && event.key === "Escape" && !isTyping) return (leave(), true);
    return !isTyping && !isCombined(event) && this.desk.key(event);
  }

  /** @param {boolean} dark */
  theme(dark) {
    this.desk.theme(dark);
  }

  destroy() {
    this.desk.destroy();
  }
}

/**
 * What a desk began with, as it would be sent.
 * @param {DeskWork} given
 */
const plain = ({ changed: { kind, texts, result, note }, original }) => ({
  kind,
  texts: Object.fromEntries(original.segments.map(({ name, text }) => [name, texts?.[name] ?? text])),
  result,
  note,
});

/**
 * "3 of 38 tokens edited (8 %) · 1 inside the rationale (33 %)": of those edited and those kept
 * @param {Look} look
 * @param {Pick<PairInstance, "gold">} original
 */
export function factsOf(look, original) {
  if (!look.n_edited) return _("nothing edited yet");
  /** @param {number|null} share */
  const percent = (share) =>
    share === null ? "–" : share > 0 && share < 0.005 ? _("under 1 %") : inPercent(Math.round(100 * share));
  const all = Math.round(look.n_edited / (look.minimality || 1));
  const words = [
    several("{edited} of {n} token edited ({share})", "{edited} of {n} tokens edited ({share})", all, {
      edited: look.n_edited,
      share: percent(look.minimality),
    }),
  ];
  if (original.gold.length)
    words.push(_("{n} inside the rationale ({share})", { n: look.n_inside, share: percent(look.share_inside) }));
  return words.join(" · ");
}
