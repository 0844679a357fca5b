/**
 * The original of a changed version, one key away: its text and what was changed. It is asked for when one wants to see
 * it.
 */
import { _ } from "../words/language.js";
import { openDialog } from "../shared/dialogs.js";
import { element } from "../shared/dom.js";
import { sentenceOf } from "../shared/messages.js";
import { pieceNodes } from "../shared/pieces.js";

export class Original {
  /** @param {import("./messages.js").PanelMessages} messages @param {import("./screen.js").Screen} screen */
  constructor(messages, screen) {
    this.messages = messages;
    this.screen = screen;
    /** @type {HTMLDialogElement|null} */
    this.dialog = null;
  }

  async open() {
    const { session } = this.screen;
    if (!session || this.dialog?.open) return;
    if (!session.work.is_changed) return this.screen.hint(_("This text is not a changed version of another one."));
    const body = element("div", { class: "original" }, "…");
    const dialog = (this.dialog = openDialog(this.screen.root, _("The original, and what was changed"), body));
    dialog.addEventListener(
      "keydown",
      (event) => event.key.toLowerCase() === "c" && !event.ctrlKey && !event.metaKey && dialog.close(),
    );
    const answer = await this.messages.get("original", { assignment: session.work.assignment });
    if (answer.status !== 200) return body.replaceChildren(element("p", { class: "dialog-words" }, sentenceOf(answer)));
    body.replaceChildren(...partsOf(answer.body, session.offer));
    body.querySelector("del, ins")?.scrollIntoView({ block: "center" });
  }
}

/** @param {ShownOriginal} given0 @param {Session["offer"]} given1 */
function partsOf({ language, direction, segments }, { change, warnings: all, isOfAnotherResult }) {
  const isNamed = segments.length > 1;
  const said = change && element("p", { class: `dialog-words${isOfAnotherResult ? " warns" : ""}` }, change.words);
  const legend = element(
    "p",
    { class: "dialog-words" },
    element("del", {}, _("in the original only")),
    " · ",
    element("ins", {}, _("in this text only")),
  );
  const warnings = all.filter((words) => words !== change?.words);
  return [
    said,
    legend,
    ...segments.map(({ title, is_changed: isChanged, pieces }) =>
      element(
        "section",
        {},
        isNamed && element("h3", { class: "segment-title" }, isChanged ? title : _("{title} · not changed", { title })),
        element("p", { class: "since", dir: direction, lang: language }, ...pieceNodes(pieces)),
      ),
    ),
    warnings.length > 0 &&
      element(
        "section",
        { class: "proposed-notes" },
        element("h3", { class: "segment-title" }, _("Sets proposed from the original")),
        ...warnings.map((line) => element("p", {}, line)),
      ),
  ].filter((made) => made !== null && made !== false);
}
