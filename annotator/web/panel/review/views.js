/** The line with the views of the text, and where one stands in the one that is shown. */
import { _ } from "../words/language.js";
import { button, element, press, setText, toggle } from "../shared/dom.js";
import { sizeOf } from "../shared/model.js";
import { counted } from "../shared/spoken.js";
import { changesOf } from "./looks.js";
import { VIEWS, stopWords } from "./words.js";

const BRIEF_CHARS = 24;

/** @typedef {import("./session.js").View} View */

export class Views {
  /** @param {Pick<ReviewActions, "look"|"arrow">} actions */
  constructor(actions) {
    /** @type {Map<View, HTMLButtonElement>} */
    this.buttons = new Map();
    for (const [view, label, key, title] of VIEWS)
      this.buttons.set(
        view,
        toggle(label, key, title, () => actions.look(view)),
      );
    this.place = element("span", { class: "stop-words" });
    this.legend = element("span", { class: "legend" });
    /** @param {string} sign @param {string} title @param {boolean} right */
    const stepper = (sign, title, right) =>
      button(sign, {
        title: `${title} (${sign})`,
        className: "plain square",
        onclick: () => actions.arrow(right),
        "aria-label": title,
      });
    const back = stepper("←", _("Previous part"), false);
    const forth = stepper("→", _("Next part"), true);
    this.stepping = element("span", { class: "stepping" }, this.place, back, forth);
    const views = element(
      "div",
      { class: "views", role: "group", "aria-label": _("Views of the text") },
      ...this.buttons.values(),
    );
    this.root = element(
      "div",
      { class: "row views-row" },
      views,
      element("div", { class: "stops" }, this.legend, this.stepping),
    );
  }

  /** @param {import("./session.js").ReviewSession} session */
  update(session) {
    const { views, view, stops, stop, work } = session;
    for (const [name, made] of this.buttons) {
      made.disabled = !views.includes(name);
      made.hidden = name === "changes" && !work.previous;
      press(made, name === view);
    }
    // Where there is only one place there is nothing to step through.
    this.stepping.hidden = stops.length < 2 && view !== "less";
    const count = view === "changes" ? "" : counted(stops.length, "part");
    setText(this.place, stop === null ? count : stopWords(session, stop, BRIEF_CHARS));
    this.legend.hidden = view !== "changes";
    if (view === "changes") this.legend.replaceChildren(...legendOf(session));
  }

  /** @param {View} view */
  nameOf(view) {
    return VIEWS.find(([name]) => name === view)?.[1] ?? "";
  }
}

/**
 * What the marks of the changes mean, with how many tokens each has.
 * @param {ReviewSession} session
 */
function legendOf(session) {
  const { added, gone } = changesOf(session);
  const { step, work } = session;
  if (step.set !== null && work.sets[step.set].previous === null)
    return [_("a new set: "), sample("added", _("{n} added", { n: sizeOf(added) }))];
  if (!added.length && !gone.length) return [_("unchanged since round {round}", { round: work.previous?.round ?? "" })];
  return [sample("added", _("{n} added", { n: sizeOf(added) })), sample("gone", _("{n} removed", { n: sizeOf(gone) }))];
}

/** @param {"added"|"gone"} kind @param {string} words */
const sample = (kind, words) => element("span", { class: `legend-${kind}` }, words);
