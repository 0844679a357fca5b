/** Proposed sets: the note above a changed version, their row in the bar, and what a person does with them. */
import { letterOf } from "../shared/annotation.js";
import {
  button,
  div,
  element,
  icon,
  inline,
  paragraph,
  part,
  parts,
  pressable,
  setText,
  treeOf,
} from "../shared/dom.js";
import { counted } from "../shared/naming.js";
import { accept, answer, answerOf, saidOf } from "../shared/proposals.js";
import { _, joined, listed, several, together } from "../words/language.js";

export class ProposedNotes {
  constructor() {
    this.root = paragraph("proposed-notes");
  }

  /**
   * One line from the beginning, so that the text does not move when the answer comes; the whole of it is its title.
   * @param {Session} given
   */
  update({ work, offer }) {
    this.root.hidden = !work.proposes;
    const warnings = offer.warnings;
    const words = together(
      !offer.isOfAnotherResult && offer.change?.words,
      ...(warnings.length ? warnings : [carriedWords(offer)]),
    );
    this.root.classList.toggle("warns", warnings.length > 0);
    setText(this.root, words);
    this.root.title = words;
  }
}

/** @param {Session["offer"]} offer */
function carriedWords({ answered, sets }) {
  if (!answered) return "…";
  const count = sets.filter(({ source }) => source === "carried").length;
  if (!count) return _("No sets are proposed.");
  return several("One set of the original is proposed.", "{n} sets of the original are proposed.", count);
}

// ---- The row of the bar: dashed chips, of which one is at hand, and what can be done with it

/** @typedef {import("./screen.js").Showing} Showing */

export class ProposedRow {
  /** @param {Pick<WorkActions, "accept"|"reject"|"take"|"glance">} actions */
  constructor(actions) {
    this.actions = actions;
    /** What the chips were drawn of. */
    this.drawn = "";
    this.title = inline("result-title", _("Proposed"));
    this.chips = element("div", { class: "proposed-sets", role: "radiogroup", "aria-label": _("Proposed sets") });
    this.words = inline("proposed-words");
    this.ignored = inline("proposed-words ignored-words");
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
    this.ways = div("views", this.accept, this.all, this.reject);
    this.root = div("row proposed-row", div("sets-group", this.title, this.chips, this.words, this.ignored), this.ways);
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
    setText(this.words, offer.answered ? undecidedWords(state, offer) : "…");
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
    return pressable(
      isUnasked ? "proposal unasked" : "proposal",
      {
        role: "radio",
        "data-id": id,
        "aria-checked": String(chosen),
        "aria-label": said,
        title: said,
        tabIndex: chosen ? 0 : -1,
        onclick: () => this.actions.take(id),
        onpointerenter: () => this.actions.glance(id),
      },
      inline("proposal-title", isUnasked ? `${title}?` : title),
      inline("count", String(size)),
      notes.length > 0 && inline("flag", icon("warning")),
    );
  }
}

/** @param {State} state @param {Session["offer"]} given */
function undecidedWords(state, { open, sets }) {
  if (open.length) return "";
  if (!sets.length) return _("no sets are proposed for this text");
  return saidOf(state, sets) || _("already marked");
}

// ---- What a person does with proposed sets

const BRIEF_CHARS = 80;
const ONE_BY_ONE = _("These sets supported another label. Accept (a) or reject (r) each.");

export class Proposing {
  /**
   * @param {import("./screen.js").Screen} screen
   * @param {import("./marking.js").Marking} marking
   */
  constructor(screen, marking) {
    this.screen = screen;
    this.marking = marking;
  }

  get session() {
    return this.screen.session;
  }

  /** What is proposed and the one at hand, if there is anything to do here; says so if not. */
  #ready() {
    const { session } = this;
    if (!session || !this.marking.writable || this.marking.labelsOnly) return null;
    const { offer, state } = session;
    const { atHand } = offer;
    if (atHand) return { offer, state, atHand };
    this.screen.hint(offer.sets.length ? _("All proposed sets are decided.") : _("No sets are proposed."));
    return null;
  }

  /**
   * Takes the next proposed set to hand, or the one before.
   * @param {number} by
   */
  step(by) {
    const ready = this.#ready();
    if (!ready) return;
    const { open } = ready.offer;
    this.take(open[(open.indexOf(ready.atHand) + by + open.length) % open.length].id);
  }

  /** @param {number} id */
  take(id) {
    const { session } = this;
    if (!session?.open) return;
    session.offer.hand = id;
    this.screen.refresh();
    const { atHand } = session.offer;
    if (!atHand) return;
    this.screen.keepInSight(atHand.spans[0][0]);
    this.screen.announce(
      [
        _("proposed: {set}: {words}", { set: words(atHand), words: session.map.brief(atHand.spans, BRIEF_CHARS) }),
        ...atHand.notes,
      ].join(_(". ")),
    );
  }

  /**
   * Accepts the one at hand, or all; what waits to be asked for is only shown.
   * @param {boolean} all
   */
  accept(all) {
    const ready = this.#ready();
    if (!ready) return;
    const { offer, atHand, state } = ready;
    if (all && !offer.mayTakeAll) return this.screen.hint(ONE_BY_ONE);
    if (!all && answerOf(state, atHand) === "unasked") return this.#ask(atHand);
    const chosen = all ? offer.undecided : [atHand];
    if (chosen.length)
      this.#answer(
        offer,
        chosen,
        (before) => accept(before, chosen),
        (after) => madeWords(after, chosen),
      );
  }

  /** @param {boolean} all */
  reject(all) {
    const ready = this.#ready();
    if (!ready) return;
    const { offer, atHand } = ready;
    const chosen = all ? offer.undecided : [atHand];
    if (!chosen.length) return;
    const said =
      chosen.length === 1
        ? _("{title} rejected", { title: chosen[0].title })
        : several("{n} proposed sets rejected", "{n} proposed sets rejected", chosen.length);
    this.#answer(offer, chosen, (before) => answer(before, chosen, "rejected"), said);
  }

  /** @param {Proposal} proposal */
  #ask(proposal) {
    this.marking.edit(
      (state) => answer(state, [proposal], "undecided"),
      _("proposed: {set}", { set: words(proposal) }),
    );
  }

  /**
   * The one after those that were answered comes to hand.
   * @param {Session["offer"]} offer
   * @param {Proposal[]} chosen
   * @param {(state: State) => State} change
   * @param {import("./marking.js").Said} say
   */
  #answer(offer, chosen, change, say) {
    const { open } = offer;
    const after = open.slice(open.indexOf(chosen[chosen.length - 1]) + 1);
    offer.hand = after[0]?.id ?? null;
    this.marking.edit(change, say);
  }
}

/** @param {Proposal} given */
const words = ({ title, size }) => joined(title, counted(size, "token"));

/** @param {State} state @param {Proposal[]} chosen */
const madeWords = (state, chosen) =>
  chosen.length === 1
    ? _("accepted as set {letter}, {set}", { letter: letterOf(state.current), set: words(chosen[0]) })
    : several("{n} proposed sets accepted", "{n} proposed sets accepted", chosen.length);
