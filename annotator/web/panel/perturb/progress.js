/** Progress: how many of each kind there are against the target, by author and by checker. */
import { element } from "../shared/dom.js";
import { sentenceOf } from "../shared/messages.js";

/** @typedef {string|number|undefined|Node} Cell  nothing counts as 0 */

export class Progress {
  /** @param {PerturbParts} parts */
  constructor(parts) {
    this.data = parts.data;
    this.messages = parts.messages;
    this.stage = parts.stage;
    this.startsAnew = true;
    this.root = element("div", { class: "progress-view" });
  }

  async start() {
    const answer = await this.messages.get("progress", { project: this.data.project });
    if (answer.status !== 200) return this.stage.say(sentenceOf(answer));
    const { target, kinds, authors, checkers, tells_all: tellsAll } = answer.body;
    return this.root.replaceChildren(
      element("p", {}, originalsWords(answer.body)),
      table(
        `By kind${target ? `, with a target of ${target.toLocaleString()} each` : ""}`,
        ["", "Approved", "", "Being checked", "Returned"],
        kinds.map(({ title, approved, waiting, returned }) => [
          title,
          approved,
          target ? bar(approved, target) : "",
          waiting,
          returned,
        ]),
      ),
      element(
        "div",
        { class: "progress-people" },
        table(
          tellsAll.authors ? "By author" : "Written by me",
          ["", "Approved", "Being checked", "Returned"],
          authors.map((one) => [one.name, one.approved, one.waiting, one.returned]),
        ),
        table(
          tellsAll.checkers ? "By checker" : "Checked by me",
          ["", "Approved", "Corrected", "Rejected"],
          checkers.map((one) => [one.name, one.approve, one.correct, one.reject]),
        ),
      ),
    );
  }
}

/**
 * How many have a changed version, and of those that have none, how many are offered under Write.
 * @param {PerturbProgress} given
 */
function originalsWords({ originals, without, offered }) {
  const said = `${(originals - without).toLocaleString()} of ${originals.toLocaleString()} originals ${originals - without === 1 ? "has" : "have"} a changed version`;
  if (!without) return `${said}.`;
  const waiting = without - offered;
  const wait = `${waiting === 1 ? "waits until its" : "wait until their"} annotation is complete`;
  if (!waiting)
    return `${said}; ${without.toLocaleString()} ${without === 1 ? "has" : "have"} none, and ${without === 1 ? "is" : "are"} ready to be changed.`;
  if (!offered) return `${said}; ${without.toLocaleString()} ${without === 1 ? "has" : "have"} none, and ${wait}.`;
  return `${said}; ${without.toLocaleString()} have none: ${offered.toLocaleString()} ${offered === 1 ? "is" : "are"} ready to be changed, ${waiting.toLocaleString()} ${wait}.`;
}

/** @param {number} n @param {number} target */
function bar(n, target) {
  const share = Math.min(1, n / target);
  return element(
    "span",
    {
      class: "quota",
      role: "img",
      "aria-label": `${Math.round(100 * share)} % of the target`,
      title: `${n} of ${target}`,
    },
    element("i", { style: `width:${(100 * share).toFixed(1)}%` }),
  );
}

/** @param {string} title @param {string[]} heads @param {Cell[][]} rows */
function table(title, heads, rows) {
  if (!rows.length) return element("p", { class: "list-count" }, `${title}: nothing yet`);
  return element(
    "table",
    { class: "numbers" },
    element("caption", {}, title),
    element(
      "thead",
      {},
      element("tr", {}, ...heads.map((head) => element("th", { scope: "col", class: head ? "number" : "" }, head))),
    ),
    element(
      "tbody",
      {},
      ...rows.map((cells) =>
        element(
          "tr",
          {},
          ...cells.map((cell, place) =>
            place === 0
              ? element("th", { scope: "row" }, cell instanceof Node ? cell : String(cell))
              : element(
                  "td",
                  { class: cell instanceof Node ? "quota-cell" : "number" },
                  cell instanceof Node ? cell : String(cell || 0),
                ),
          ),
        ),
      ),
    ),
  );
}
