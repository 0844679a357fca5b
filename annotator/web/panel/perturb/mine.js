/** Mine: what I wrote, what was returned first: read its history, revise it, withdraw it. */
import { when } from "../shared/dialogs.js";
import { button, element, part, parts, setText, treeOf } from "../shared/dom.js";
import { sentenceOf } from "../shared/messages.js";
import { nameOf } from "../shared/naming.js";
import { pieceNodes } from "../shared/text_drawing.js";
import { _ } from "../words/language.js";
import { Desk } from "./desk.js";
import { STATES, resultWords } from "./words.js";
import { deskKey } from "./write.js";

/** The history of a changed version: each version with what it changed, and what each checker said of it, in order. */

const VERDICTS = { approve: _("approved it"), correct: _("corrected it"), reject: _("rejected it") };
const STAYS = 60;
const SOMEBODY = _("Somebody");

/** @typedef {{titleOf: (kind: string) => string}} Titles  of kinds */

/**
 * @param {Perturbation} one
 * @param {Titles} kinds
 */
export function historyOf(one, kinds) {
  const lines = one.versions.flatMap((version, place) => {
    const before = one.versions[place - 1];
    const checks = one.checks.filter((check) => check.version === version.number);
    return [
      versionLine(version, before, kinds, one),
      ...checks.filter(({ verdict }) => verdict !== "correct").map(checkLine),
    ];
  });
  return element("ol", { class: "history" }, ...lines);
}

/**
 * Whoever is not named (the author, to those who check) is somebody.
 * @param {AuthoredVersion} version
 * @param {AuthoredVersion|undefined} before
 * @param {Titles} kinds
 * @param {Perturbation} one
 */
function versionLine(version, before, kinds, one) {
  const what = version.is_correction ? _("corrected it") : before ? _("revised it") : _("wrote it");
  const facts = before
    ? [
        version.kind !== before.kind &&
          _("kind: {before} → {after}", { before: kinds.titleOf(before.kind), after: kinds.titleOf(version.kind) }),
        version.result !== before.result &&
          _("label: {before} → {after}", { before: shown(before.result), after: shown(version.result) }),
      ]
    : [];
  return element(
    "li",
    {},
    element(
      "span",
      { class: "who" },
      element("b", {}, version.by ?? SOMEBODY),
      ` ${what}`,
      element("time", {}, when(version.at)),
    ),
    version.reason && element("q", { dir: "auto" }, version.reason),
    ...facts.filter(Boolean).map((fact) => element("span", { class: "fact" }, fact)),
    ...Object.entries(version.since).map(([name, pieces]) =>
      element(
        "p",
        { class: "since", dir: one.direction, lang: one.language, "aria-label": _("What changed in {name}", { name }) },
        ...pieceNodes(pieces, around),
      ),
    ),
  );
}

/**
 * What a version has otherwise than its original: a line for each segment that was changed.
 * @param {Changes} one
 * @param {Record<string, string>} titles  of segments
 */
export function changesOf({ changes, direction, language }, titles) {
  const lines = Object.entries(changes);
  if (!lines.length) return [element("p", { class: "suggest-words" }, _("The text is still that of the original."))];
  const isNamed = Object.keys(titles).length > 1;
  return lines.map(([name, pieces]) =>
    element(
      "p",
      {
        class: "since",
        dir: direction,
        lang: language,
        "aria-label": _("What was changed in {name}", { name: titles[name] || name }),
      },
      isNamed && element("span", { class: "segment-title" }, `${titles[name] || name} `),
      isGone(pieces) && element("span", { class: "fact" }, `${_("(nothing is left)")} `),
      ...pieceNodes(pieces, around),
    ),
  );
}

/** @param {Piece[]} pieces */
const isGone = (pieces) => pieces.every(([, , after]) => !after.trim());

/** @param {VersionCheck} check */
function checkLine(check) {
  return element(
    "li",
    { class: check.verdict },
    element(
      "span",
      { class: "who" },
      element("b", {}, check.by ?? SOMEBODY),
      ` ${VERDICTS[check.verdict]}`,
      element("time", {}, when(check.at)),
    ),
    check.reason && element("q", { dir: "auto" }, check.reason),
  );
}

/** @param {string|null} result */
const shown = (result) => (result === null ? _("none") : result || _("no answer"));

/**
 * Of what stayed only what is next to a change.
 * @param {string} text
 * @param {boolean} isFirst
 * @param {boolean} isLast
 */
function around(text, isFirst, isLast) {
  if (text.length <= 3 * STAYS) return text;
  return `${isFirst ? "" : text.slice(0, STAYS)} … ${isLast ? "" : text.slice(-STAYS)}`;
}

export class Mine {
  /** @param {PerturbParts} parts */
  constructor(parts) {
    this.data = parts.data;
    this.rules = parts.rules;
    this.messages = parts.messages;
    this.stage = parts.stage;
    this.startsAnew = true;
    this.page = 1;
    /** @type {Perturbation|null}  what is revised, and its original */
    this.one = null;
    /** @type {PairInstance|null} */
    this.original = null;
    this.desk = new Desk(parts);
    this.count = element("p", { class: "list-count", role: "status" });
    this.body = element("div", { class: "mine-list" });
    this.back = button("‹", { title: _("Previous page"), className: "plain", onclick: () => this.load(this.page - 1) });
    this.on = button("›", { title: _("Next page"), className: "plain", onclick: () => this.load(this.page + 1) });
    this.list = element(
      "div",
      { class: "mine-page" },
      this.count,
      this.body,
      element("div", { class: "list-pages" }, this.back, this.on),
    );
    this.title = element("h2", { class: "work-title" });
    this.reasons = element("ul", { class: "check-warnings", "aria-label": _("Why it was returned") });
    this.told = element("section", { class: "check-about", "aria-label": _("History") });
    this.editor = element(
      "div",
      { class: "work", hidden: true },
      element("div", { class: "work-head" }, this.title),
      this.reasons,
      this.desk.root,
      this.told,
    );
    this.root = element("div", { class: "mine-view" }, this.list, this.editor);
  }

  get perturbation() {
    return this.one?.id ?? null;
  }

  /** What the browser's tab is named after. */
  get shownKey() {
    return this.one && this.original ? nameOf(this.original) : "";
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
    const { rows, drafts, has_more: hasMore } = answer.body;
    this.page = page;
    setText(
      this.count,
      rows.length || drafts.length
        ? _("Page {page}", { page })
        : _("You have not written any changed versions yet. Start under Write."),
    );
    this.count.hidden = rows.length + drafts.length > 0 && page === 1 && !hasMore;
    this.back.hidden = page <= 1;
    this.on.hidden = !hasMore;
    this.body.replaceChildren(...drafts.map((draft) => this.#draft(draft)), ...rows.map((row) => this.#row(row)));
  }

  /** @param {MyPerturbation} row */
  #row(row) {
    const { id, key, kind, state, result, stale, checks, version, instance } = row;
    const isUntouched = state === "waiting" && !row.may_check && !checks.some((check) => check.version === version);
    const summary = element(
      "summary",
      {},
      element("span", { class: `state ${state}` }, STATES[state]),
      element("b", {}, key),
      element(
        "span",
        { class: "mine-facts" },
        [this.desk.kind.titleOf(kind), resultWords(result), this.#progress(row)].filter(Boolean).join(" · "),
      ),
    );
    const ways = element(
      "div",
      { class: "work-ways" },
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
      element("span", { class: "state draft" }, _("draft")),
      element("b", {}, key),
      element("span", { class: "mine-facts" }, facts),
    );
    const goOn = button(_("Continue"), {
      title: _("Go on writing under Write"),
      onclick: () => this.stage.open("write", id),
    });
    const drop = button(_("Discard draft"), {
      title: _("Give up what you have begun"),
      className: "plain",
      onclick: () => this.stage.views.write?.discard(id, key, () => this.load()),
    });
    return element(
      "details",
      { class: "mine-one" },
      summary,
      ...changesOf(draft, this.rules.titles),
      element("div", { class: "work-ways" }, goOn, drop),
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
      title: _("Take it back; it is kept on record"),
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
    if (answer.status === 200) this.stage.done(_("Withdrawn. It is kept on record, but no longer counts."));
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
    if (!one.may_revise)
      return this.stage.say(_("This cannot be changed now: its checkers have begun, or it is decided."));
    this.one = one;
    this.original = original;
    this.#showEditor(true);
    this.title.title = _("Key of this text: {key}", { key: one.key });
    this.title.replaceChildren(
      nameOf(original),
      element("small", {}, one.state === "returned" ? _("returned") : _("not checked yet")),
    );
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
        this.stage.done(_("Submitted again. It will be checked from the start."));
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
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) return (this.desk.submit(), true);
    if (event.key === "Escape" && !isTyping) return (this.#leave(), true);
    return !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey && deskKey(this.desk, event);
  }

  /** @param {KeyboardEvent} event @param {boolean} isTyping */
  #listKey(event, isTyping) {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (!by || isTyping) return false;
    const rows = parts(this.body, "summary", HTMLElement);
    const at = rows.findIndex((row) => row === treeOf(this.root).activeElement);
    rows[Math.min(rows.length - 1, Math.max(0, at + by))]?.focus();
    return true;
  }

  /** @param {boolean} dark */
  theme(dark) {
    this.desk.theme(dark);
  }

  destroy() {
    this.desk.destroy();
  }
}
