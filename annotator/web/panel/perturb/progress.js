/** Progress: how many of each kind there are against the target, by author and by checker. */
import { div, element, paragraph, tr } from "../shared/dom.js";
import { sentenceOf } from "../shared/messages.js";
import { _, several } from "../words/language.js";

/** @typedef {string|number|undefined|Node} Cell  nothing counts as 0 */

export class Progress {
  /** @param {PerturbParts} parts */
  constructor(parts) {
    this.data = parts.data;
    this.messages = parts.messages;
    this.stage = parts.stage;
    this.startsAnew = true;
    this.root = div("progress-view");
  }

  async start() {
    const answer = await this.messages.get("progress", { project: this.data.project });
    if (answer.status !== 200) return this.stage.say(sentenceOf(answer));
    const { target, kinds, authors, checkers, tells_all: tellsAll } = answer.body;
    return this.root.replaceChildren(
      element("p", {}, originalsWords(answer.body)),
      table(
        target ? _("By type, target {target} each", { target: target.toLocaleString("en") }) : _("By type"),
        ["", _("Approved"), "", _("Being checked"), _("Returned")],
        kinds.map(({ title, approved, waiting, returned }) => [
          title,
          approved,
          target ? bar(approved, target) : "",
          waiting,
          returned,
        ]),
      ),
      div(
        "progress-people",
        table(
          tellsAll.authors ? _("By author") : _("Written by me"),
          ["", _("Approved"), _("Being checked"), _("Returned")],
          authors.map((one) => [one.name, one.approved, one.waiting, one.returned]),
        ),
        table(
          tellsAll.checkers ? _("By checker") : _("Checked by me"),
          ["", _("Approved"), _("Corrected"), _("Rejected")],
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
  const changed = several(
    "{n} of {all} originals has a perturbed version",
    "{n} of {all} originals have a perturbed version",
    originals - without,
    { all: originals.toLocaleString("en") },
  );
  if (!without) return _("{changed}.", { changed });
  const waiting = without - offered;
  if (!waiting)
    return several("{changed}; {n} without one is ready.", "{changed}; {n} without one are ready.", without, {
      changed,
    });
  if (!offered)
    return several(
      "{changed}; {n} without one isn't finished yet.",
      "{changed}; {n} without one aren't finished yet.",
      without,
      { changed },
    );
  const rest = several("{n} not finished yet", "{n} not finished yet", waiting);
  return several(
    "{changed}; {without} without one: {n} ready, {rest}.",
    "{changed}; {without} without one: {n} ready, {rest}.",
    offered,
    { changed, without: without.toLocaleString("en"), rest },
  );
}

/** @param {number} n @param {number} target */
function bar(n, target) {
  const share = Math.min(1, n / target);
  return element(
    "span",
    {
      class: "quota",
      role: "img",
      "aria-label": _("{percent} % of the target", { percent: Math.round(100 * share) }),
      title: _("{n} of {all}", { n, all: target }),
    },
    element("i", { style: `width:${(100 * share).toFixed(1)}%` }),
  );
}

/** @param {string} title @param {string[]} heads @param {Cell[][]} rows */
function table(title, heads, rows) {
  if (!rows.length) return paragraph("list-count", _("{title}: nothing yet", { title }));
  return element(
    "table",
    { class: "numbers" },
    element("caption", {}, title),
    element(
      "thead",
      {},
      tr(...heads.map((head) => element("th", { scope: "col", class: head ? "number" : "" }, head))),
    ),
    element(
      "tbody",
      {},
      ...rows.map((cells) =>
        tr(
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
