/** Write: an original is chosen from the list or comes next, and changed versions of it are written. */
import { openQuestion } from "../shared/dialogs.js";
import {
  act,
  button,
  div,
  element,
  inline,
  isCombined,
  pageButtons,
  parts,
  pressable,
  setText,
  whenAtRest,
} from "../shared/dom.js";
import { at, sentenceOf } from "../shared/messages.js";
import { counted, nameOf, shownKey } from "../shared/naming.js";
import { _, several } from "../words/language.js";
import { DeskTab, Looking } from "./desk.js";
import { STATES, resultWords } from "./words.js";

// ---- The list of originals: by key or words, those without a changed version first or alone

const PAUSE_MS = 250;

class Originals {
  /**
   * @typedef {{words: string, page: number, without: number}} Asked
   * @param {{ask: (asked: Asked) => Promise<Answer<PerturbRoutes["originals"]>>, open: (id: number) => void}} actions
   */
  constructor(actions) {
    this.actions = actions;
    this.page = 1;
    /** @type {OriginalRow[]} */
    this.rows = [];
    /** @type {number|null} */
    this.current = null;
    /** The newest question to the server. */
    this.asked = 0;
    this.words = element("input", {
      type: "search",
      placeholder: _("ID or words"),
      "aria-label": _("ID or words"),
      oninput: whenAtRest(() => this.load(1), PAUSE_MS),
    });
    this.without = element("input", { type: "checkbox", checked: true, onchange: () => this.load(1) });
    this.count = element("p", { class: "list-count", role: "status" });
    this.body = element("div", { class: "list-rows", role: "group", "aria-label": _("Originals") });
    this.pages = pageButtons((by) => this.load(this.page + by));
    this.root = element(
      "aside",
      { class: "list", "aria-label": _("Originals") },
      this.words,
      element("label", { class: "list-without" }, this.without, _("without a perturbed version")),
      this.count,
      this.body,
      this.pages.root,
    );
  }

  async load(page = this.page) {
    const asked = (this.asked += 1);
    const answer = await this.actions.ask({
      words: this.words.value.trim(),
      page,
      without: this.without.checked ? 1 : 0,
    });
    if (this.asked !== asked) return;
    if (answer.status !== 200) return setText(this.count, sentenceOf(answer));
    const { rows, n, n_unfinished: unfinished, per_page: perPage } = answer.body;
    this.page = page;
    this.rows = rows;
    const pages = Math.max(1, Math.ceil(n / perPage));
    const texts = counted(n, "text");
    const where = pages > 1 ? `${texts} · ${_("page {page} of {pages}", { page, pages })}` : texts;
    setText(this.count, (n ? where : this.#none()) + waitingWords(unfinished));
    this.pages.back.disabled = page <= 1;
    this.pages.forth.disabled = page >= pages;
    this.#draw();
  }

  #draw() {
    this.body.replaceChildren(...this.rows.map((row) => this.#row(row)));
    this.mark(this.current);
  }

  /** @param {number} id  of which a changed version was begun */
  begun(id) {
    const row = this.rows.find((one) => one.id === id);
    if (!row || row.has_draft) return;
    row.has_draft = true;
    this.#draw();
  }

  #none() {
    if (this.words.value.trim()) return _("Nothing found. Change the search or filters.");
    return this.without.checked
      ? _("Every annotated text has a perturbed version. Clear the tick to see them.")
      : _("No text is ready until its sets are decided.");
  }

  /** @param {OriginalRow} given */
  #row({ id, key, result, excerpt, n_there: there, n_waiting: waiting, has_draft: hasDraft }) {
    const facts = [
      hasDraft && _("draft"),
      there && counted(there, "version"),
      waiting && _("{waiting} in progress", { waiting }),
    ];
    const counts = facts.filter(Boolean).join(", ");
    return pressable(
      "list-row",
      { "data-id": id, title: key, onclick: () => this.actions.open(id) },
      element("b", {}, shownKey(key)),
      inline("facts", counts || result || "–"),
      element("span", { class: "excerpt", dir: "auto" }, excerpt || ""),
    );
  }

  /** @param {number|null} id */
  mark(id) {
    this.current = id;
    for (const row of parts(this.body, ".list-row", HTMLElement)) {
      if (Number(row.dataset.id) === id) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
  }
}

/** Texts are offered only when their annotation is complete: their sets are shown beside it. @param {number} n */
const waitingWords = (n) => (n ? several(" · {n} more not finished yet", " · {n} more not finished yet", n) : "");

const FRESH = { kind: "", texts: null, result: null, note: "" };

export class Write extends DeskTab {
  /** @param {PerturbParts} parts */
  constructor(parts) {
    const others = element("section", { class: "others", "aria-label": _("Perturbed versions of this text") });
    super(parts, others);
    this.others = others;
    this.list = new Originals({
      ask: (query) => this.messages.get("originals", { project: this.data.project, ...query }),
      open: (id) => this.open(id),
    });
    this.title = element("h2", { class: "work-title" });
    this.empty = element("p", { class: "empty", hidden: true });
    this.next = button(_("Next text"), {
      key: "n",
      title: _("Next text without a perturbed version"),
      onclick: () => this.goOn(),
    });
    this.drop = button(_("Discard draft"), {
      title: _("Discard the draft of this text"),
      className: "plain drop-draft",
      onclick: () => this.original && this.discard(this.original.id, this.shownKey),
    });
    const head = div(
      "work-head",
      this.title,
      inline(
        "work-ways",
        this.drop,
        button(_("List"), {
          key: "i",
          title: _("Show or hide the list"),
          className: "plain",
          onclick: () => this.toggleList(),
        }),
        this.next,
      ),
    );
    this.main = div("work", head, this.empty, this.desk.root);
    this.root = div("write", this.list.root, this.main);
    this.desk.root.hidden = true;
    this.channel = new BroadcastChannel(at("annotator:perturb"));
    this.channel.onmessage = ({ data: said }) => this.#heard(said);
  }

  get instance() {
    return this.original?.id ?? null;
  }

  /** What the browser's tab is named after. */
  get shownKey() {
    return this.original ? nameOf(this.original) : "";
  }

  /** @param {number|null} asked */
  async start(asked) {
    await this.list.load(1);
    if (asked) return this.open(asked);
    return this.goOn();
  }

  toggleList() {
    this.list.root.hidden = !this.list.root.hidden;
  }

  /** The next text of which there is no changed version yet. */
  async goOn() {
    const answer = await this.messages.get("next", { project: this.data.project, after: this.instance || 0 });
    if (answer.status !== 200) return this.stage.say(sentenceOf(answer));
    if (answer.body.instance) return this.open(answer.body.instance);
    const first = this.original ? null : this.list.rows[0]?.id;
    if (first) return this.open(first);
    if (this.original) return this.stage.say(_("Every text has a perturbed version. Choose one to write another."));
    this.empty.hidden = false;
    this.empty.textContent = _("Every annotated text has a perturbed version. Clear the tick to see them.");
    return undefined;
  }

  /** @param {number} id */
  async open(id, { says = "" } = {}) {
    const asked = (this.asked += 1);
    const answer = await this.messages.get("original", { instance: id });
    if (this.asked !== asked) return;
    if (answer.status !== 200) return this.stage.say(sentenceOf(answer));
    this.empty.hidden = true;
    this.stage.done(says);
    this.#show(answer.body);
  }

  /** @param {PerturbOriginal} original */
  #show(original) {
    this.original = original;
    const { id, result } = original;
    this.showTitle(this.title, resultWords(result));
    this.desk.root.hidden = false;
    this.desk.open({
      original,
      changed: original.draft || FRESH,
      key: this.#entryOf(id),
      isKept: true,
      suggests: true,
      look: (changed, turn) => this.#look(id, changed, turn),
      send: (changed, mayBeEmpty) => this.messages.post("hand-in", { instance: id, changed, may_be_empty: mayBeEmpty }),
      onsent: (body) => this.#sent(id, body),
      words: _("Submit"),
    });
    this.#showOthers(original);
    this.list.mark(id);
    this.stage.remember();
    this.stage.announce(
      `${this.shownKey}. ${this.desk.kind.value ? _("Perturbed version") : _("Choose a perturbation type")}`,
    );
  }

  /** @param {number} id @param {Changed} changed @param {Turn} turn */
  async #look(id, changed, turn) {
    const answer = await this.messages.post("look", { instance: id, changed, ...turn });
    if (answer.status === 200) {
      this.channel.postMessage({ user: this.data.user, id, changed });
      this.list.begun(id);
    }
    return answer;
  }

  /**
   * Where the browser keeps what did not reach the server.
   * @param {number} id
   */
  #entryOf(id) {
    return `annotator:perturb:${this.data.user}:${id}`;
  }

  /**
   * Asks whether the draft of a text is to go.
   * @param {number} id
   * @param {string} name
   */
  discard(id, name, ondone = () => {}) {
    openQuestion(
      this.stage.root,
      _("Discard this draft?"),
      _("Your text for “{name}” will be lost.", { name }),
      _("Discard draft"),
      () => this.#discard(id, ondone),
    );
  }

  /** @param {number} id @param {() => unknown} ondone */
  async #discard(id, ondone) {
    const isShown = id === this.instance;
    if (isShown) {
      await this.desk.looking.settle();
      this.desk.looking.finish();
    }
    Looking.forget(this.#entryOf(id));
    const answer = await this.messages.post("discard-draft", { instance: id });
    if (answer.status !== 200) return this.stage.say(sentenceOf(answer));
    const says = _("The draft was discarded.");
    if (isShown) await this.open(id, { says });
    this.stage.done(says);
    this.stage.root.focus({ preventScroll: true });
    this.list.load();
    return ondone();
  }

  /**
   * Another tab of this person writes of the same text.
   * @param {{user: number|null|undefined, id: number, changed: Changed}} given
   */
  #heard({ user, id, changed }) {
    if (user !== this.data.user || id !== this.instance || !this.desk.work) return;
    if (JSON.stringify(changed) === JSON.stringify(this.desk.changed)) return;
    this.stage.say(_("Also open in another tab; the last change is kept."), [
      button(_("Use the other tab's"), {
        onclick: () => {
          this.stage.say("");
          this.desk.take(changed);
        },
      }),
      button(_("Keep this one"), {
        className: "plain",
        onclick: () => {
          this.stage.say("");
          this.desk.looking.changed(0);
        },
      }),
    ]);
  }

  /** @param {number} id @param {{state: PerturbationState}} given */
  #sent(id, { state }) {
    const words =
      state === "approved"
        ? _("Submitted and added to the data.")
        : several(
            "Submitted. Another person will check it.",
            "Submitted. {n} others will check it.",
            this.rules.checkers,
          );
    this.open(id, { says: words }).then(() => this.next.focus());
    this.list.load();
    this.stage.progress();
  }

  /** @param {PerturbOriginal} original */
  #showOthers(original) {
    const rows = original.others.map((one) =>
      element(
        "li",
        {},
        inline(`state ${one.state}`, STATES[one.state]),
        element("b", {}, this.desk.kind.titleOf(one.kind)),
        `${one.author ? _(" by {author}", { author: one.author }) : ""} · ${resultWords(one.result)} `,
        one.instance !== null && this.stage.link(one.instance),
        element(
          "p",
          { class: "others-text", dir: original.direction, lang: original.language },
          changedText(original, one),
        ),
      ),
    );
    this.others.replaceChildren(
      ...(rows.length ? [element("h3", {}, _("Perturbed versions of this text")), element("ul", {}, ...rows)] : []),
    );
  }

  /** @param {KeyboardEvent} event @param {boolean} isTyping @returns {boolean} whether the key meant something here */
  key(event, isTyping) {
    if (this.deskKey(event, isTyping)) return true;
    if (isTyping || isCombined(event)) return false;
    const acts = {
      n: () => this.goOn(),
      i: () => this.toggleList(),
      "/": () => {
        this.list.root.hidden = false;
        this.list.words.focus();
      },
    };
    return act(acts, event.key);
  }

  destroy() {
    super.destroy();
    this.channel.close();
  }
}

/**
 * What differs from the original: only the segments that were changed.
 * @param {PairInstance} original
 * @param {BriefVersion} one
 */
function changedText({ segments }, { texts }) {
  const changed = segments.filter(({ name, text }) => texts[name] !== undefined && texts[name] !== text);
  return changed
    .map(({ name }) => texts[name] || _("(nothing is left)"))
    .join(" / ")
    .slice(0, 600);
}
