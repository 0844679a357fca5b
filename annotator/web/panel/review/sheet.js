/**
 * The sheet beside the text: a card for each set and one for the whole, with its words, the comment, why it was
 * returned before, the means it carries, and, once the round is decided, the gate's arithmetic.
 */
import { letterOf, sizeOf, unionOf } from "../shared/annotation.js";
import { div, element, inline, keyCap, paragraph } from "../shared/dom.js";
import { counted } from "../shared/naming.js";
import { badgeOf } from "../shared/set_styles.js";
import { _, joined } from "../words/language.js";
import { commentAt, decimalOf, exactWords, nameOf, placeOf } from "./scores.js";

const BRIEF_CHARS = 160;

/**
 * @typedef {{root: HTMLElement, set: number|null, badge: HTMLElement, comment: HTMLTextAreaElement,
 *   commentBox: HTMLElement}} Card
 */

export class Sheet {
  /** @param {Pick<ReviewActions, "comment"|"choose">} actions */
  constructor(actions) {
    this.actions = actions;
    /** @type {ReviewSession|null} */
    this.session = null;
    /** @type {boolean|null}  null: the badges are not painted yet */
    this.dark = null;
    this.root = element("div", { class: "aside sheet", role: "complementary", "aria-label": _("Sets and comments") });
    /** @type {Card[]} */
    this.cards = [];
  }

  /** @param {import("./session.js").ReviewSession} session */
  show(session) {
    this.session = session;
    this.dark = null;
    this.cards = [...session.work.sets.keys(), null].map((set) => this.#card(session, set));
    this.root.replaceChildren(...this.cards.map(({ root }) => root));
    this.root.scrollTop = 0;
  }

  /** @param {ReviewSession} session @param {number|null} set */
  #card(session, set) {
    const badge = inline("card-badge");
    const comment = element("textarea", {
      class: "note",
      rows: 1,
      "aria-label": _("Comment on {place}", { place: placeOf(set) }),
      placeholder: _("for the annotator and the lead"),
      oninput: () => this.actions.comment(set, comment.value),
    });
    const commentBox = element(
      "label",
      { class: "note-box" },
      inline("note-title", _("Comment"), " ", keyCap("c")),
      comment,
    );
    const head = div("card-head", badge, inline("card-size", sizeWords(session, set)));
    const root = element(
      "section",
      { class: "card", "aria-label": set === null ? _("The whole") : _("Set {letter}", { letter: letterOf(set) }) },
      head,
      ...wordsOf(session, set),
      ...linesOf(session.work, set),
      ...passedOf(session.work, set),
      ...arithmeticOf(session, set),
      commentBox,
    );
    if (set === null || !session.work.sets[set].is_carried)
      root.addEventListener("click", ({ target }) => {
        const isField = target instanceof Element && target.closest("textarea, label");
        if (!isField && this.session?.step.set !== set) this.actions.choose(set);
      });
    return { root, set, badge, comment, commentBox };
  }

  /** @param {ReviewSession} session @param {{dark: boolean, busy: boolean}} given */
  update(session, { dark, busy }) {
    if (dark !== this.dark)
      this.cards.forEach(({ badge, set }) => badge.replaceChildren(set === null ? _("The whole") : badgeOf(set, dark)));
    this.dark = dark;
    for (const { root, set, comment, commentBox } of this.cards) {
      const isCurrent = session.step.set === set;
      const isCarried = set !== null && session.work.sets[set].is_carried;
      const isAsked = (isCurrent || session.explained === set) && session.open && !isCarried;
      const said = commentAt(session.scores, set);
      root.classList.toggle("current", isCurrent);
      comment.readOnly = busy || !session.open;
      commentBox.hidden = session.work.state === "decided" || (!said && !isAsked);
      if (comment.value !== said) comment.value = said;
    }
  }

  get #current() {
    return this.cards.find(({ set }) => set === this.session?.step.set);
  }

  /** That of the step; after a low score that of what was scored, which is to be explained. */
  focusComment() {
    const { session } = this;
    const explained = this.cards.find(({ set }) => set === session?.explained);
    const { comment } = explained ?? this.#current ?? {};
    comment?.focus();
    comment?.setSelectionRange(comment.value.length, comment.value.length);
  }

  /** The card of the step, within the sheet; the page stays where it is. */
  bringIntoView() {
    const card = this.#current?.root.getBoundingClientRect();
    if (!card) return;
    const sheet = this.root.getBoundingClientRect();
    if (card.top < sheet.top || card.bottom > sheet.bottom) this.root.scrollTop += card.top - sheet.top;
  }
}

/** @param {ReviewSession} given @param {number|null} set */
function sizeWords({ work, map }, set) {
  const spans = set === null ? unionOf(work.sets) : work.sets[set].spans;
  const size = sizeOf(spans);
  if (set === null)
    return work.sets.length
      ? _("{size} of {all} tokens in the sets", { size, all: map.selectableCount })
      : _("no rationale in the text");
  return counted(size, "token");
}

/** @param {ReviewSession} given @param {number|null} set */
function wordsOf({ work, map }, set) {
  if (set !== null)
    return [element("p", { class: "card-words", dir: "auto" }, map.brief(work.sets[set].spans, BRIEF_CHARS))];
  return work.note
    ? [element("p", { class: "card-words", dir: "auto" }, _("Annotator's note: {note}", { note: work.note }))]
    : [];
}

/**
 * Why it was returned before; what was said of a set that has gone belongs to the whole.
 * @param {ReviewWork} given
 * @param {number|null} set
 */
function linesOf({ previous, sets }, set) {
  if (!previous) return [];
  const kept = sets.map((each) => each.previous);
  /** @param {Span[]} _spans @param {number} index */
  const gone = (_spans, index) =>
    kept.includes(index)
      ? []
      : saidOf(previous, index).map((line) => _("Set {letter} (gone): {line}", { letter: letterOf(index), line }));
  const lines =
    set === null ? [...previous.lines, ...previous.sets.flatMap(gone)] : saidOf(previous, sets[set].previous);
  if (!lines.length) return [];
  const title = paragraph("said-title", _("Round {round}", { round: previous.round }));
  return [div("said", title, ...lines.map((line) => element("p", { dir: "auto" }, line)))];
}

/** @param {FormerRound} previous @param {number|null} index */
const saidOf = (previous, index) => (index === null ? [] : previous.set_lines?.[index] || []);

/** @param {ReviewWork} given @param {number|null} set */
function passedOf({ sets }, set) {
  const carried = set === null ? null : sets[set].carried;
  if (!carried) return [];
  /** @param {"sufficiency"|"compactness"} property */
  const mean = (property) => `${nameOf(property)} ${exactWords(carried[property])}`;
  return [
    paragraph("carried", _("Passed earlier: {scores}", { scores: joined(mean("sufficiency"), mean("compactness")) })),
  ];
}

/**
 * The gate's findings: each mean with where it comes from, against its threshold; and what one wrote, as did others.
 * @param {ReviewSession} given
 * @param {number|null} set
 */
function arithmeticOf({ work: { state, decision }, scores: written }, set) {
  const findings = (decision?.findings || []).filter((finding) => finding.set === set);
  /** @param {Finding} given */
  const scored = ({ property }) =>
    set === null && property !== "comprehensiveness"
      ? _("{score}, all sets together", { score: nameOf(property) })
      : nameOf(property);
  const others = (decision?.others || []).filter((other) => other.set === set);
  const comment = state === "decided" ? commentAt(written, set) : "";
  const comments = [comment && _("You: {line}", { line: comment }), ...others.map(({ line }) => line)].filter(Boolean);
  const lines = comments.map((line) => element("p", { dir: "auto" }, line));
  const sums = findings.map((finding) =>
    div(
      `finding ${finding.passes ? "passes" : "fails"}`,
      inline("finding-name", scored(finding)),
      inline("verdict", finding.passes ? _("passes") : _("fails")),
      inline("finding-sum", sumWords(finding)),
    ),
  );
  return lines.length ? [...sums, div("said", ...lines)] : sums;
}

/** @param {Finding} given */
function sumWords({ scores, mean, threshold, passes }) {
  const way = scores.length > 1 ? `(${scores.join(" + ")}) / ${scores.length} = ` : "";
  return `${way}${exactWords(mean)} ${passes ? "≥" : "<"} ${decimalOf(threshold)}`;
}
