/**
 * What the project's model answers to the sets on the screen, on demand: each set alone (is it sufficient?), less each of its
 * tokens (is it compact?), and the text without the sets (are they comprehensive?). See docs/panel.md, "The model's answers".
 */
import { badgeOf } from "./chip.js";
import { openDialog } from "./dialogs.js";
import { element } from "./dom.js";
import { letterOf } from "./model.js";
import { Messages, sentenceOf } from "./messages.js";

/** Taking a token out that changes the probability by less says that the set may not need it. */
const SPARE = 0.01;

export class Answers {
  /** @param {Object} parts  routes, csrf, screen, setsOf(session) -> spans of each set */
  constructor({ routes, csrf, screen, setsOf }) {
    Object.assign(this, { screen, setsOf });
    this.messages = new Messages(routes, csrf);
  }

  async open() {
    const { session } = this.screen;
    if (!session?.project?.asks_model) return;
    const sets = this.setsOf(session);
    const body = element("div", { class: "answers", "aria-live": "polite" }, element("p", {}, "Asking the model …"));
    openDialog(this.screen.root, "What the model answers", body);
    const answer = await this.messages.post("preview", { instance: session.work.instance.id, result: session.result, sets });
    if (!body.isConnected) return;
    if (answer.status !== 200) return body.replaceChildren(element("p", { role: "alert" }, sentenceOf(answer)));
    return body.replaceChildren(...this.#shown(session, answer.body));
  }

  #shown({ map }, { model, label, full, rest, sets }) {
    const dark = this.screen.dark;
    const row = (title, { p, predicted }, words) => element("tr", {}, element("th", { scope: "row" }, title),
      element("td", { class: "number" }, percent(p)), element("td", {}, predicted === label ? predicted : element("b", {}, predicted)), element("td", {}, words));
    const rows = [row("the whole text", full, ""),
      ...sets.map((set, index) => row(element("span", { "aria-label": `set ${letterOf(index)} alone` }, badgeOf(index, dark), " alone"), set, change(full.p, set.p))),
      row("without the sets", rest, change(full.p, rest.p))];
    const less = sets.flatMap((set, index) => (set.less.length ? [element("p", { class: "less-title" }, badgeOf(index, dark), " less one token"), element("p", { class: "less" },
      ...set.less.map(([token, p]) => element("span", { class: Math.abs(set.p - p) < SPARE ? "piece spare" : "piece", title: Math.abs(set.p - p) < SPARE ? "the model gives the result as well without it" : "" },
        map.textOf([token, token + 1]), element("small", {}, change(set.p, p)))))] : []));
    return [element("table", { class: "numbers" }, element("thead", {}, element("tr", {}, ...["", `p(${label})`, "predicts", "change"].map((words) => element("th", { scope: "col" }, words)))), element("tbody", {}, ...rows)),
      ...less, element("p", { class: "quiet" }, `${model}: a small classifier of words, trained on this project's labels. It is no judge of what people need.`)];
  }
}

const percent = (p) => `${(100 * p).toFixed(1)} %`;

function change(from, to) {
  const points = 100 * (to - from);
  return `${points > 0 ? "+" : points < 0 ? "−" : "±"}${Math.abs(points).toFixed(1)}`;
}
