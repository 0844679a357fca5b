/**
 * What a model wrote, above the text: each piece of it is a button that shows the map of that piece, “All” shows their
 * mean. The colours of the pieces are how much each counted for the chosen one, which was written after them. And what
 * it quoted.
 */
import { div, element, paragraph, press, setText } from "../shared/dom.js";
import { counted } from "../shared/naming.js";
import { _, several } from "../words/language.js";
import { isBeyond, stepOf } from "./heat_scale.js";
import { signed, written as writtenNumber } from "./map_numbers.js";

const LONGEST = 40;
const UNSCORED = _("It begins with no label's words: neither right nor wrong.");

/** @typedef {(step: number|null) => void} ChooseStep  null: all pieces together */

export class WrittenAnswer {
  /**
   * @param {HeatPanel & {written: HeatWritten}} panel
   * @param {boolean} hasResult  whether what was written could be right: the text has a label or an answer
   * @param {ChooseStep} choose
   */
  constructor(panel, hasResult, choose) {
    this.panel = panel;
    this.choose = choose;
    /** @type {number|null}  the piece whose map is shown */
    this.step = null;
    this.all = this.#button(_("All"), _("The mean of the maps of all pieces"), null);
    this.all.tabIndex = 0;
    this.buttons = panel.written.pieces.map((piece, step) =>
      this.#button(shownPiece(piece), pieceWords(shownPiece(piece), step), step),
    );
    this.words = element("p", { class: "heat-written-words", "aria-live": "polite" });
    this.row = element(
      "div",
      {
        class: "heat-written-pieces",
        role: "toolbar",
        "aria-label": _("What {model} wrote, by piece", { model: panel.model }),
        dir: "auto",
      },
      this.all,
      ...this.buttons,
    );
    this.row.addEventListener("keydown", (event) => this.#walk(event));
    this.root = div(
      "heat-written",
      this.row,
      this.words,
      hasResult && !panel.answer && paragraph("heat-written-words", UNSCORED),
    );
    press(this.all, true);
    this.#say();
  }

  /** @param {string} words @param {string} title @param {number|null} step */
  #button(words, title, step) {
    return element(
      "button",
      {
        type: "button",
        class: "written-piece",
        title,
        tabIndex: -1,
        "data-step": step,
        onclick: () => this.show(step),
      },
      words,
    );
  }

  /** The panel as the map draws it: that of one piece, or of all together. @returns {HeatPanel} */
  get shown() {
    return this.panelOf(this.step);
  }

  /** The map of a piece; null: of all together. @param {number|null} step @returns {HeatPanel} */
  panelOf(step) {
    const { panel } = this;
    const { pieces, scores, earlier } = panel.written;
    if (step === null) return { ...panel, label: shortened(pieces.join("").trim()) };
    return {
      ...panel,
      label: shownPiece(pieces[step]),
      scores: scores[step],
      earlier: earlier[step],
      ranking: null,
      pieces: null,
      convergence: null,
      facts: this.#facts(step),
      spread: null,
      numbers: {},
    };
  }

  /**
   * How the map of a piece lies on all that it was given; where that was not stored, on words and earlier pieces.
   * @param {number} step
   * @returns {Record<string, number>}
   */
  #facts(step) {
    const { scores, earlier, facts } = this.panel.written;
    if (facts?.length) return facts[step];
    const [onText, onAnswer] = [scores[step], earlier[step]].map((row) =>
      row.reduce((/** @type {number} */ sum, score) => sum + Math.abs(score ?? 0), 0),
    );
    return onText + onAnswer ? { earlier_share: onAnswer / (onText + onAnswer) } : {};
  }

  /** Chooses a piece; null, or the same once more: all of them. @param {number|null} step */
  show(step) {
    this.begin(this.step === step ? null : step);
    this.choose(this.step);
  }

  /** Begins with the map of a piece, if it is there. @param {number|null} step */
  begin(step) {
    this.step = step !== null && step in this.buttons ? step : null;
    const chosen = this.step === null ? this.all : this.buttons[this.step];
    for (const one of [this.all, ...this.buttons]) {
      press(one, one === chosen);
      one.tabIndex = one === chosen ? 0 : -1;
    }
    this.#say();
  }

  /**
   * Colours the pieces that came before the chosen one, on the scale of the words, and writes their scores below them.
   * @param {{scale: number, isSigned: boolean, showNumbers: boolean}} painting
   */
  paint({ scale, isSigned, showNumbers }) {
    const earlier = this.shown.earlier ?? [];
    this.row.classList.toggle("with-numbers", showNumbers && earlier.length > 0);
    this.buttons.forEach((made, step) => {
      const score = earlier[step] ?? null;
      const number = score === null ? "" : this.#number(score);
      const isCut = score !== null && isBeyond(score, scale);
      made.className = ["written-piece", stepOf(score, scale, isSigned), isCut && "cut"].filter(Boolean).join(" ");
      made.title = pieceWords(made.textContent ?? "", step, number);
      if (number) made.setAttribute("data-score", number);
      else made.removeAttribute("data-score");
    });
  }

  /** What a piece counted, as the words' scores are written. @param {number} score */
  #number(score) {
    return this.panel.is_signed ? signed(score) : writtenNumber(score);
  }

  #say() {
    const { pieces } = this.panel.written;
    setText(
      this.words,
      this.step === null
        ? _("Written by the model; the map is the mean of its {pieces}.", {
            pieces: counted(pieces.length, "piece"),
          })
        : _("The map of piece {step} of {n}, and what those before it counted.", {
            step: this.step + 1,
            n: pieces.length,
          }),
    );
  }

  /**
   * Arrows go from piece to piece, as in any toolbar; they are not those of the list of texts.
   * @param {KeyboardEvent} event
   */
  #walk(event) {
    const all = [this.all, ...this.buttons];
    const at = all.indexOf(/** @type {HTMLButtonElement} */ (event.target));
    const rtl = getComputedStyle(this.row).direction === "rtl" ? -1 : 1;
    /** @type {Record<string, number>} */
    const places = { ArrowRight: at + rtl, ArrowLeft: at - rtl, Home: 0, End: all.length - 1 };
    if (event.key === "Enter" || event.key === " ") return event.stopPropagation();
    const to = all[Math.min(all.length - 1, Math.max(0, places[event.key] ?? -1))];
    if (at < 0 || !(event.key in places)) return undefined;
    event.preventDefault();
    event.stopPropagation();
    return to.focus();
  }
}

/** A piece as it can be seen: without the blanks around it, a line break as a sign. @param {string} piece */
const shownPiece = (piece) => piece.trim() || (piece.includes("\n") ? "↵" : "·");

/** @param {string} text */
const shortened = (text) => (text.length > LONGEST ? `${text.slice(0, LONGEST).trim()}…` : text);

/**
 * What the button of a piece shows; number: what the piece counted for the chosen one.
 * @param {string} piece @param {number} step
 */
const pieceWords = (piece, step, number = "") =>
  number
    ? _("The map of “{piece}”, piece {n}; {number} for the chosen one", { piece, n: step + 1, number })
    : _("The map of “{piece}”, piece {n}", { piece, n: step + 1 });

// ---- What a language model quoted as its reason: the boxes, and the quotes that are not in the text

/** @param {Pick<HeatPanel, "quotes">} panel */
export const boxedWords = (panel) =>
  panel.quotes ? _("what the model quoted is boxed") : _("selected tokens are boxed");

/**
 * The quotes that are not in the text, as the text that they are; nothing where all are there.
 * @param {Pick<HeatPanel, "quotes">} panel
 */
export function missingQuotes({ quotes }) {
  if (!quotes || !quotes.n_missing) return null;
  const words = missingWords(quotes);
  const more = quotes.n_missing - quotes.missing.length;
  return element(
    "div",
    { class: "heat-quotes", role: "group", "aria-label": words },
    element("p", {}, `${words}:`),
    element(
      "ul",
      {},
      ...quotes.missing.map((quote) => element("li", { dir: "auto" }, quote)),
      more > 0 && element("li", {}, _("and {more} more", { more })),
    ),
  );
}

/**
 * How many of the quotes are not in the text.
 * @param {HeatQuotes} quotes
 */
export function missingWords({ n, n_missing }) {
  if (n === 1) return _("The one quote of the model is not in the text");
  if (n === n_missing) return _("None of the {n} quotes of the model is in the text", { n });
  return several(
    "{n} of the {all} quotes of the model is not in the text",
    "{n} of the {all} quotes of the model are not in the text",
    n_missing,
    { all: n },
  );
}
