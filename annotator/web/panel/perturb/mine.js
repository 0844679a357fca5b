/** Mine: what I wrote, what was returned first: read its history, revise it, withdraw it. */
import { button, div, element, focusBeside, inline, pageButtons, part, parts, setText } from "../shared/dom.js";
import { sentenceOf } from "../shared/messages.js";
import { _, dotted } from "../words/language.js";
import { changesOf, historyOf } from "./changes.js";
import { DeskTab } from "./desk.js";
import { STATES, resultWords } from "./words.js";

export class Mine extends DeskTab {
  /** @param {PerturbParts} parts */
  constructor(parts) {
    super(parts);
    this.startsAnew = true;
    this.page = 1;
    this.count = element("p", { class: "list-count", role: "status" });
    this.body = div("mine-list");
    this.pages = pageButtons((by) => this.load(this.page + by));
    this.list = div("mine-page", this.count, this.body, this.pages.root);
    this.title = element("h2", { class: "work-title" });
    this.reasons = element("ul", { class: "check-warnings", "aria-label": _("Why it was returned") });
    this.told = element("section", { class: "check-about", "aria-label": _("History") });
    this.editor = element(
      "div",
      { class: "work", hidden: true },
      div("work-head", this.title),
      this.reasons,
      this.desk.root,
      this.told,
    );
    this.root = div("mine-view", this.list, this.editor);
  }

  /** @param {number|null} asked */
  async start(asked) {
    if (this.one) return;
    await this.load(1);
    if (asked) this.#revise(asked);
  }

  async load(page = this.page) {
    const answer = await this.messages.get("mine", { project: this.data.project, page });
    if (answer.status !== 200) return this.stage.say(sentenceOf(answer));
    const { rows, drafts, pages } = answer.body;
    this.page = page;
    setText(
      this.count,
      rows.length || drafts.length
        ? _("page {page} of {pages}", { page, pages })
        : _("No perturbed versions yet. Start under Write."),
    );
    this.count.hidden = rows.length + drafts.length > 0 && page === 1 && pages <= 1;
    this.pages.back.hidden = page <= 1;
    this.pages.forth.hidden = page >= pages;
    this.body.replaceChildren(...drafts.map((draft) => this.#draft(draft)), ...rows.map((row) => this.#row(row)));
  }

  /** @param {MyPerturbation} row */
  #row(row) {
    const { id, key, kind, state, result, stale, checks, version, instance } = row;
    const isUntouched = state === "waiting" && !row.may_check && !checks.some((check) => check.version === version);
    const summary = element(
      "summary",
      {},
      inline(`state ${state}`, STATES[state]),
      element("b", {}, key),
      inline("mine-facts", dotted(this.desk.kind.titleOf(kind), resultWords(result), this.#progress(row))),
    );
    const ways = div(
      "work-ways",
      (state === "returned" || isUntouched) &&
        button(state === "returned" ? _("Revise") : _("Change"), {
          className: state === "returned" ? "primary" : "",
          onclick: () => this.#revise(id),
        }),
      (state === "returned" || state === "waiting") && this.#withdrawButton(id),
      instance !== null && this.stage.link(instance),
    );
    const warnings =
      stale.length > 0 && element("ul", { class: "check-warnings" }, ...stale.map((said) => element("li", {}, said)));
    return element(
      "details",
      { class: "mine-one", open: state === "returned" },
      summary,
      warnings,
      ...changesOf(row, this.rules.titles),
      historyOf(row, this.desk.kind),
      ways,
    );
  }

  /**
   * What was begun and not submitted.
   * @param {BegunDraft} draft
   */
  #draft(draft) {
    const { id, key, kind, result } = draft;
    const facts = [this.desk.kind.titleOf(kind), resultWords(result)].join(" · ");
    const summary = element(
      "summary",
      {},
      inline("state draft", _("draft")),
      element("b", {}, key),
      inline("mine-facts", facts),
    );
    const goOn = button(_("Continue"), { title: _("Go on under Write"), onclick: () => this.stage.open("write", id) });
    const drop = button(_("Discard draft"), {
      title: _("Discard draft"),
      className: "plain",
      onclick: () => this.stage.views.write?.discard(id, key, () => this.load()),
    });
    return element(
      "details",
      { class: "mine-one" },
      summary,
      ...changesOf(draft, this.rules.titles),
      div("work-ways", goOn, drop),
    );
  }

  /** @param {MyPerturbation} given */
  #progress({ state, checks, version, wanted, may_check: mayCheck }) {
    if (state !== "waiting") return "";
    if (mayCheck) return _("corrected; you check it too");
    const approved = checks.filter((check) => check.version === version && check.verdict === "approve").length;
    return _("{approved} of {wanted} approved", { approved, wanted });
  }

  /**
   * Taken back with a second press.
   * @param {number} id
   */
  #withdrawButton(id) {
    const made = button(_("Withdraw"), {
      className: "plain",
      title: _("Withdraw it; it stays on record"),
      onclick: () => {
        if (made.dataset.sure) this.#withdraw(id);
        made.dataset.sure = "yes";
        setText(part(made, ".button-label", HTMLElement), _("Press again to withdraw"));
      },
    });
    return made;
  }

  /** @param {number} id */
  async #withdraw(id) {
    const answer = await this.messages.post("withdraw", { perturbation: id });
    if (answer.status === 200) this.stage.done(_("Withdrawn: on record, but not counted."));
    else this.stage.say(sentenceOf(answer));
    this.#changed();
  }

  #changed() {
    this.stage.progress();
    return this.load();
  }

  /** @param {number} id */
  async #revise(id) {
    const answer = await this.messages.get("check", { perturbation: id });
    if (answer.status !== 200) return this.stage.say(sentenceOf(answer));
    const { perturbation: one, original } = answer.body;
    if (!one.may_revise) return this.stage.say(_("Can't be changed: checking has begun."));
    this.one = one;
    this.original = original;
    this.#showEditor(true);
    this.showTitle(this.title, one.state === "returned" ? _("returned") : _("not checked yet"));
    const reasons = one.checks.filter(({ version, verdict }) => version === one.version && verdict === "reject");
    this.reasons.replaceChildren(
      ...reasons.map(({ by, reason }) => element("li", { dir: "auto" }, `${by}: ${reason}`)),
    );
    this.told.replaceChildren(element("h3", {}, _("History")), historyOf(one, this.desk.kind));
    this.desk.open({
      original,
      changed: one,
      key: `annotator:perturb:${this.data.user}:p${id}.${one.version}`,
      isKept: false,
      suggests: true,
      words: _("Submit again"),
      look: (changed) => this.messages.post("check/look", { perturbation: id, changed }),
      send: (changed, mayBeEmpty) =>
        this.messages.post("revise", { perturbation: id, version: one.version, changed, may_be_empty: mayBeEmpty }),
      onsent: () => {
        this.#leave();
        this.stage.done(_("Submitted again. Checking starts over."));
        this.#changed();
      },
      onleave: () => this.#leave(),
    });
    this.stage.remember();
    return this.desk.pair.focus();
  }

  /** @param {boolean} isShown */
  #showEditor(isShown) {
    this.list.hidden = isShown;
    this.editor.hidden = !isShown;
  }

  /** What was written stays in this browser until it is handed in. */
  #leave() {
    this.desk.close();
    this.stage.rest(this.editor);
    this.one = null;
    this.#showEditor(false);
    this.stage.remember();
    parts(this.body, "summary", HTMLElement)[0]?.focus();
  }

  /** @param {KeyboardEvent} event @param {boolean} isTyping @returns {boolean} whether the key meant something here */
  key(event, isTyping) {
    if (!this.one) return this.#listKey(event, isTyping);
    return this.deskKey(event, isTyping, () => this.#leave());
  }

  /** @param {KeyboardEvent} event @param {boolean} isTyping */
  #listKey(event, isTyping) {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (!by || isTyping) return false;
    focusBeside(parts(this.body, "summary", HTMLElement), by);
    return true;
  }
}
