/** The row of the bar with the proposed sets: dashed chips, of which one is at hand, and what can be done with it. */
import { _, listed } from "../words/language.js";
import { button, element, part, parts, setText, treeOf } from "../shared/dom.js";
import { icon } from "../shared/icons.js";
import { answerOf, saidOf } from "../shared/proposals.js";
import { counted } from "../shared/spoken.js";

/** @typedef {import("./screen.js").Showing} Showing */

export class ProposedRow {
  /** @param {Pick<WorkActions, "accept"|"reject"|"take"|"glance">} actions */
  constructor(actions) {
    this.actions = actions;
    /** What the chips were drawn of. */
    this.drawn = "";
    this.title = element("span", { class: "result-title" }, _("Proposed"));
    this.chips = element("div", { class: "proposed-sets", role: "radiogroup", "aria-label": _("Proposed sets") });
    this.words = element("span", { class: "proposed-words" });
    this.ignored = element("span", { class: "proposed-words ignored-words" });
    this.accept = button(_("Accept"), {
      key: "a",
      title: _("Accept the current proposed set"),
      className: "plain accept",
      onclick: () => actions.accept(false),
    });
    this.all = button(_("All"), {
      key: "Shift+A",
      title: _("Accept all proposed sets"),
      className: "plain",
      onclick: () => actions.accept(true),
    });
    this.reject = button(_("Reject"), {
      key: "r",
      title: _("Reject the current proposed set"),
      className: "plain",
      onclick: () => actions.reject(false),
    });
    this.ways = element("div", { class: "views" }, this.accept, this.all, this.reject);
    this.root = element(
      "div",
      { class: "row proposed-row" },
      element("div", { class: "sets-group" }, this.title, this.chips, this.words, this.ignored),
      this.ways,
    );
    this.chips.addEventListener("pointerleave", () => actions.glance(null));
  }

  /** @param {import("../shared/session.js").Session} session @param {Showing} given */
  update(session, { readOnly, readMode, busy }) {
    const { work, state, offer } = session;
    const { open, undecided, atHand, ignored } = offer;
    this.root.hidden = readMode || !work.proposes || !session.open || session.project?.result_mode === "labels_only";
    if (this.root.hidden) return;
    // What cannot be done now keeps its place, so that the next press does not hit the button beside it.
    this.ways.classList.toggle("unseen", !open.length);
    const isAsked = atHand !== null && answerOf(state, atHand) === "unasked";
    setText(part(this.accept, ".button-label", HTMLElement), isAsked ? _("Show it") : _("Accept"));
    this.all.classList.toggle("unseen", undecided.length < 2 || !offer.mayTakeAll);
    for (const made of [this.accept, this.all, this.reject]) made.disabled = readOnly && !busy;
    setText(this.words, offer.answered ? wordsOf(state, offer) : "…");
    const lists = listed((ignored?.names ?? []).map((name) => `“${name}”`));
    setText(this.ignored, ignored ? _("not rationale: {lists}", { lists }) : "");
    this.#drawChips(session, offer);
  }

  /** @param {Session} given0 @param {Session["offer"]} given1 */
  #drawChips({ state, id }, { open, atHand }) {
    const key = JSON.stringify([id, atHand?.id, open.map((one) => [one.id, answerOf(state, one)])]);
    if (key === this.drawn) return;
    const hadFocus = this.chips.contains(treeOf(this.root).activeElement);
    this.drawn = key;
    this.chips.replaceChildren(
      ...open.map((one) => this.#chip(one, one === atHand, answerOf(state, one) === "unasked")),
    );
    if (hadFocus) (parts(this.chips, "[aria-checked=true]", HTMLButtonElement)[0] ?? this.accept).focus();
  }

  /** @param {Proposal} given @param {boolean} chosen @param {boolean} isUnasked */
  #chip({ id, title, size, notes }, chosen, isUnasked) {
    const name = isUnasked ? _("On request: {title}", { title }) : _("Proposed: {title}", { title });
    const said = [name, counted(size, "token"), ...notes].join(" – ");
    return element(
      "button",
      {
        type: "button",
        class: isUnasked ? "proposal unasked" : "proposal",
        role: "radio",
        "data-id": id,
        "aria-checked": String(chosen),
        "aria-label": said,
        title: said,
        tabIndex: chosen ? 0 : -1,
        onclick: () => this.actions.take(id),
        onpointerenter: () => this.actions.glance(id),
      },
      element("span", { class: "proposal-title" }, isUnasked ? `${title}?` : title),
      element("span", { class: "count" }, String(size)),
      notes.length > 0 && element("span", { class: "flag" }, icon("warning")),
    );
  }
}

/** @param {State} state @param {Session["offer"]} given */
function wordsOf(state, { open, sets }) {
  if (open.length) return "";
  if (!sets.length) return _("nothing is proposed for this text");
  return saidOf(state, sets) || _("already marked");
}
