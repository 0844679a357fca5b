/** Check: what others wrote waits beside its original; approve, correct or reject, and the next one follows. */
import { act, button, div, element, inline, isCombined, isSend, paragraph, setText } from "../shared/dom.js";
import { sentenceOf } from "../shared/messages.js";
import { _ } from "../words/language.js";
import { historyOf } from "./changes.js";
import { DeskTab, factsOf } from "./desk.js";
import { Pair } from "./side_by_side.js";
import { STATES, resultWords } from "./words.js";

export class Check extends DeskTab {
  /** @param {PerturbParts} parts */
  constructor(parts) {
    super(parts);
    this.startsAnew = true;
    this.pair = new Pair(() => {});
    this.title = element("h2", { class: "work-title" });
    this.result = paragraph("check-result");
    this.kindWords = paragraph("check-kind");
    this.facts = paragraph("desk-facts");
    this.warnings = element("ul", { class: "check-warnings" });
    this.about = element("section", { class: "check-about", "aria-label": _("Note and history") });
    this.empty = element("p", { class: "empty", hidden: true });
    /** @type {"empty"|"sheet"|"desk"} */
    this.part = "empty";
    this.isSending = false;
    this.approve = button(_("Approve"), {
      key: "a",
      title: _("The text and its label are right"),
      className: "primary",
      onclick: () => this.#decide("approve", ""),
    });
    this.ways = div(
      "ways",
      button(_("Later"), {
        key: "n",
        title: _("Leave for later; go to the next"),
        className: "plain",
        onclick: () => this.next(),
      }),
      button(_("Reject"), {
        key: "r",
        title: _("Reject it and return it to its author"),
        onclick: () => this.#startReject(),
      }),
      button(_("Correct"), {
        key: "x",
        title: _("Correct it: your text becomes a new version"),
        onclick: () => this.#startCorrection(),
      }),
      this.approve,
    );
    this.reason = element("input", {
      class: "answer reason-field",
      type: "text",
      "aria-label": _("Reason"),
      placeholder: _("why you reject it"),
    });
    this.refusal = element("span", { class: "desk-problems asked", role: "status" });
    this.rejecting = element(
      "div",
      { class: "row rejecting", hidden: true },
      element("label", { class: "kind reason-box" }, inline("result-title", _("Reason")), this.reason),
      this.refusal,
      div(
        "ways",
        button(_("Back"), { key: "Esc", className: "plain", onclick: () => this.#endReject() }),
        button(_("Reject"), { key: "Ctrl+⏎", className: "primary", onclick: () => this.#reject() }),
      ),
    );
    const bar = div("bar", div("row main-row", div("check-told", this.title, this.result), this.ways), this.rejecting);
    this.sheet = div("desk", bar, this.kindWords, this.facts, this.warnings, this.pair.root, this.about);
    this.root = div("check", this.empty, this.sheet, this.desk.root);
    this.#showPart("empty");
  }

  /** @param {Check["part"]} name */
  #showPart(name) {
    this.part = name;
    if (name !== "desk") this.stage.rest(this.desk.root);
    this.empty.hidden = name !== "empty";
    this.sheet.hidden = name !== "sheet";
    this.desk.root.hidden = name !== "desk";
  }

  /** @param {number|null} asked */
  start(asked) {
    if (this.part === "desk") return undefined;
    return asked
      ? this.#load("check", { perturbation: asked })
      : this.#load("check/next", { project: this.data.project, after: (this.one?.id || 1) - 1 });
  }

  async next() {
    const before = this.perturbation;
    await this.#load("check/next", { project: this.data.project, after: before || 0 });
    if (before !== null && before === this.perturbation) this.stage.done(_("Nothing else to check."));
  }

  /**
   * @param {"check"|"check/next"} route
   * @param {Query} query
   */
  async #load(route, query, tell = () => this.stage.say("")) {
    const asked = (this.asked += 1);
    const answer = await this.messages.get(route, query);
    if (this.asked !== asked) return;
    if (answer.status !== 200) return this.stage.say(sentenceOf(answer));
    tell();
    this.#show(answer.body);
  }

  /** @param {MaybeToCheck} found */
  #show(found) {
    this.one = found.perturbation;
    this.original = found.perturbation && found.original;
    this.stage.remember();
    if (!found.perturbation) {
      setText(this.empty, _("Nothing to do right now."));
      return this.#showPart("empty");
    }
    const { perturbation, original, look } = found;
    this.#showPart("sheet");
    this.#endReject();
    const { author, kind, result, note, stale } = perturbation;
    const title = this.desk.kind.titleOf(kind);
    const what = author ? _("{kind} · by {author}", { kind: title, author }) : title;
    this.showTitle(this.title, what);
    setText(this.kindWords, this.desk.kind.wordsOf(kind));
    this.result.replaceChildren(...this.#resultWords(original.result, result));
    this.pair.show(original, this.rules.titles, { dark: this.stage.dark, isEditable: false });
    this.pair.showLook(look);
    setText(this.facts, factsOf(look, original));
    this.warnings.replaceChildren(
      ...[...stale, look.nothing_left, ...look.notes].filter(Boolean).map((said) => element("li", {}, said)),
    );
    this.#showAbout(perturbation, note);
    this.#showStanding(perturbation);
    this.stage.announce(`${this.shownKey}, ${what}`);
  }

  /** @param {string|null} before @param {string|null} after */
  #resultWords(before, after) {
    if (before === after) return [_("stays "), element("b", {}, resultWords(after))];
    return [`${resultWords(before)} → `, element("b", {}, resultWords(after))];
  }

  /** @param {Perturbation} one @param {string} note */
  #showAbout(one, note) {
    const isMore = one.versions.length > 1 || one.checks.length > 0;
    this.about.replaceChildren(
      ...[
        note && element("h3", {}, _("The author's note")),
        note && element("p", { class: "check-note", dir: "auto" }, note),
        isMore && element("h3", {}, _("History")),
        isMore && historyOf(one, this.desk.kind),
      ].filter((made) => made instanceof Node),
    );
  }

  /**
   * What is decided, or waits for others, is shown; of what waits for me I am not told what another said.
   * @param {Perturbation} one
   */
  #showStanding(one) {
    if (one.may_check) return this.result.append(_(" · for you to check"));
    const approved = one.checks.filter(
      ({ version, verdict }) => version === one.version && verdict === "approve",
    ).length;
    return this.result.append(
      one.state === "waiting"
        ? ` · ${_("{approved} of {wanted} approved", { approved, wanted: one.wanted })}`
        : ` · ${STATES[one.state]}`,
      ...(one.instance ? [" ", this.stage.link(one.instance)] : []),
    );
  }

  #startReject() {
    this.rejecting.hidden = false;
    this.ways.hidden = true;
    this.reason.focus();
  }

  #endReject() {
    this.stage.rest(this.rejecting);
    this.rejecting.hidden = true;
    this.ways.hidden = !this.one?.may_check;
    this.reason.value = "";
    setText(this.refusal, "");
  }

  #reject() {
    if (this.reason.value.trim()) return this.#decide("reject", this.reason.value);
    setText(this.refusal, _("Say briefly why."));
    return this.reason.focus();
  }

  /** @param {"approve"|"reject"} verdict @param {string} reason */
  async #decide(verdict, reason) {
    if (this.isSending || !this.one?.may_check) return;
    this.isSending = true;
    const { one } = this;
    const { id, version, key } = one;
    const answer = await this.messages.post(`check/${verdict}`, { perturbation: id, version, reason });
    this.isSending = false;
    if (answer.status !== 200) return this.#refused(answer);
    one.may_check = false;
    this.#followed(
      verdict === "reject"
        ? _("{key}: rejected and returned to its author.", { key })
        : answer.body.state === "approved"
          ? _("{key}: approved and added to the data.", { key })
          : _("{key}: approved. Others will check it.", { key }),
    );
  }

  /**
   * Somebody was faster, or the server is away: what stands there now is shown, what was typed stays.
   * @param {{ status: Refused, body: Refusal }} answer
   */
  #refused(answer) {
    const sentence = sentenceOf(answer);
    if (answer.status === 409 && this.one)
      return this.#load("check", { perturbation: this.one.id }, () => this.stage.say(sentence));
    return this.stage.say(sentence);
  }

  /** @param {string} words */
  #followed(words) {
    this.stage.progress();
    return this.#load("check/next", { project: this.data.project, after: this.one?.id || 0 }, () =>
      this.stage.done(words),
    );
  }

  #startCorrection() {
    const { one, original } = this;
    if (!one?.may_check || !original) return;
    this.#showPart("desk");
    /** @param {Changed} changed */
    const about = (changed) => ({ perturbation: one.id, version: one.version, changed });
    this.desk.open({
      original,
      changed: one,
      key: `annotator:perturb:${this.data.user}:p${one.id}.${one.version}`,
      isKept: false,
      suggests: false,
      wantsReason: true,
      words: _("Send the correction"),
      look: (changed) => this.messages.post("check/look", about(changed)),
      send: (changed, mayBeEmpty, reason) =>
        this.messages.post("check/correct", { ...about(changed), reason, may_be_empty: mayBeEmpty }),
      onsent: () => this.#followed(_("{key}: corrected. Others will check it.", { key: one.key })),
      onleave: () => this.#endCorrection(),
    });
    this.desk.pair.focus();
  }

  #endCorrection() {
    this.desk.close();
    this.#showPart("sheet");
  }

  /** @param {KeyboardEvent} event @param {boolean} isTyping @returns {boolean} whether the key meant something here */
  key(event, isTyping) {
    if (this.part === "desk") return this.deskKey(event, isTyping, () => this.#endCorrection());
    if (this.part !== "sheet") return false;
    if (isSend(event) && !this.rejecting.hidden) return (this.#reject(), true);
    if (event.key === "Escape" && !this.rejecting.hidden) return (this.#endReject(), true);
    if (isTyping || isCombined(event)) return false;
    const acts = {
      a: () => this.#decide("approve", ""),
      r: () => this.#startReject(),
      x: () => this.#startCorrection(),
    };
    return act({ n: () => this.next(), ...(this.one?.may_check ? acts : {}) }, event.key);
  }

  /** @param {boolean} dark */
  theme(dark) {
    super.theme(dark);
    this.pair.theme(dark);
  }
}
