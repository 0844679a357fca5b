/**
 * What models say of the sets on the screen, on demand. The project's model: each set alone (is it sufficient?), less
 * each of its tokens (is it compact?), and the text without the sets (are they comprehensive?). Stored attributions:
 * how each set fits the top k and the ranking. See docs/panel.md, "The model's answers".
 */
import { _, dotted, listed } from "../words/language.js";
import { letterOf } from "./annotation.js";
import { openDialog } from "./dialogs.js";
import { element, paragraph, tr } from "./dom.js";
import { Messages, sentenceOf } from "./messages.js";
import { inPercent } from "./naming.js";
import { badgeOf } from "./set_styles.js";

/** Taking a token out that changes the probability by less says that the set may not need it. */
const SPARE = 0.01;
/** The server may load a model first; it says itself when that takes long. */
const PATIENCE_MS = 60000;

/** @template {Session|ReviewSession} S */
export class Predictions {
  /**
   * @param {MountData} data
   * @param {{root: HTMLElement, dark: boolean, session: S|null}} screen
   * @param {(session: S) => Span[][]} setsOf  the spans of each set
   */
  constructor({ csrf }, screen, setsOf) {
    this.screen = screen;
    this.setsOf = setsOf;
    /** @type {Messages<PreviewRoutes>} */
    this.messages = new Messages("/api", csrf, PATIENCE_MS);
  }

  async open() {
    const { session } = this.screen;
    if (!session?.project?.asks_model || session.work.is_blind) return;
    const all = this.setsOf(session);
    // What is sent has no empty sets.
    const places = all.flatMap((spans, index) => (spans.length ? [index] : []));
    const sets = places.map((index) => all[index]);
    const asking = element("p", {}, _("Asking the model …"));
    const body = element("div", { class: "answers", "aria-live": "polite" }, asking);
    openDialog(this.screen.root, _("Model predictions"), body);
    const answer = await this.messages.post("preview", {
      instance: session.work.instance.id,
      result: session.result,
      sets,
    });
    if (!body.isConnected) return;
    if (answer.status !== 200) return body.replaceChildren(element("p", { role: "alert" }, sentenceOf(answer)));
    const { trouble, attributions } = answer.body;
    return body.replaceChildren(
      ...(answer.body.model === null ? [] : this.#answers(session, answer.body, places)),
      ...(trouble ? [element("p", { role: "alert" }, trouble)] : []),
      ...(attributions.length ? this.#fits(attributions, places) : []),
    );
  }

  /** @param {S} given0 @param {Answered} given1 @param {number[]} places */
  #answers({ map }, { model, kind, label, unseen, full, rest, sets, trust, seen }, places) {
    const { dark } = this.screen;
    /** @param {Child} title @param {ModelAnswer} given @param {string} words */
    const row = (title, { p, predicted }, words) =>
      tr(
        element("th", { scope: "row" }, title),
        element("td", { class: "number" }, percent(p)),
        element("td", { class: "number" }, words),
        element("td", { dir: "auto" }, predicted === label ? predicted : element("b", {}, predicted || _("no answer"))),
      );
    const rows = [
      row(_("the whole text"), full, ""),
      ...sets.map((set, index) =>
        row(
          element(
            "span",
            { "aria-label": _("set {letter} alone", { letter: letterOf(places[index]) }) },
            badgeOf(places[index], dark),
            " ",
            _("alone"),
          ),
          set,
          change(full.p, set.p),
        ),
      ),
      row(_("without the sets"), rest, change(full.p, rest.p)),
    ];
    const less = sets.flatMap((set, index) =>
      set.less.length
        ? [
            paragraph("less-title", badgeOf(places[index], dark), " ", _("less one token")),
            paragraph(
              "less",
              ...set.less.map(([token, p]) =>
                element(
                  "span",
                  {
                    class: isSpare(set.p, p) ? "piece spare" : "piece",
                    title: isSpare(set.p, p) ? _("the prediction stays the same without it") : "",
                  },
                  map.textOf([token, token + 1]),
                  element("small", {}, change(set.p, p)),
                ),
              ),
            ),
          ]
        : [],
    );
    const about =
      kind === "built-in"
        ? _("a word classifier trained on this project's labels")
        : _("the model that the lead chose");
    const told = [trust, seen].filter(Boolean).map((words) => paragraph("trust", words));
    return [
      ...told,
      tableOf(["", `p(${label})`, _("change"), _("predicts")], 1, element("tbody", {}, ...rows)),
      ...less,
      ...(unseen ? [paragraph("quiet", _("Too long for the model: {unseen} words unseen.", { unseen }))] : []),
      paragraph("quiet", _("{model}: {about}. People may need other evidence.", { model, about })),
    ];
  }

  /**
   * A body of rows for each attribution, under what it is of.
   * @param {Fit[]} attributions
   * @param {number[]} places
   */
  #fits(attributions, places) {
    const { dark } = this.screen;
    const bodies = attributions.map(({ model, method, seed, layer, label, k, n, sets }) => {
      const of = dotted(
        model,
        method,
        layer !== null && _("layer {layer}", { layer }),
        seed !== null && _("seed {seed}", { seed }),
        label && _("for {label}", { label }),
      );
      const parts = k.map((count, side) => _("{n} of {all}", { n: count, all: n[side] }));
      const top = _("top {parts}", { parts: listed(parts, "and") });
      return element(
        "tbody",
        {},
        element(
          "tr",
          { class: "group" },
          element("th", { scope: "rowgroup", colspan: 4 }, of, element("small", {}, top)),
        ),
        ...sets.map((set, index) =>
          tr(
            element(
              "th",
              { scope: "row", "aria-label": _("set {letter}", { letter: letterOf(places[index]) }) },
              badgeOf(places[index], dark),
            ),
            ...[set.f1, set.iou, set.ap].map((value) =>
              element("td", { class: "number" }, value === null ? "–" : value.toFixed(2)),
            ),
          ),
        ),
      );
    });
    return [
      paragraph("less-title", _("Beside the attributions of this text")),
      tableOf(["", _("Token F1"), "IoU", "AP"], 0, ...bodies),
      paragraph(
        "quiet",
        _("Token F1 and IoU of the set with the attribution's top k; AP: average precision of its ranking."),
      ),
    ];
  }
}

/**
 * @param {Array<string>} heads  a table of rows that have a name;
 * @param {number} nWords  how many columns at the end hold words
 * @param {...HTMLElement} bodies
 */
function tableOf(heads, nWords, ...bodies) {
  /** @param {string} words @param {number} place */
  const head = (words, place) =>
    element("th", { scope: "col", class: place && place < heads.length - nWords ? "number" : "" }, words);
  return element("table", { class: "numbers" }, element("thead", {}, tr(...heads.map(head))), ...bodies);
}

/** @param {number|null} whole @param {number|null} p */
const isSpare = (whole, p) => whole !== null && p !== null && Math.abs(whole - p) < SPARE;

/**
 * No number: another answer was given, and nothing is said of this one.
 * @param {number|null} p
 */
const percent = (p) => (p === null ? "–" : inPercent((100 * p).toFixed(1)));

/** @param {number|null} from @param {number|null} to */
function change(from, to) {
  if (from === null || to === null) return "";
  const points = 100 * (to - from);
  return `${points > 0 ? "+" : points < 0 ? "−" : "±"}${Math.abs(points).toFixed(1)}`;
}
