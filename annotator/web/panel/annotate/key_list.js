/** The keys of Annotate as they are listed for people. */
import { _ } from "../words/language.js";

/** @type {KeyGroup} */
const ANSWER_KEYS = [
  _("The answer"),
  [
    [
      "0",
      _(
        "select it in the text: the words that you drag over, click or mark with Space next become the answer; Esc cancels",
      ),
    ],
    ["i", _("say that there is no answer")],
    ["l", _("type it")],
  ],
];

/** @type {KeyGroup} */
export const PROPOSED_KEYS = [
  _("Proposed sets"),
  [
    ["p", _("go to the next one (Shift + p: back)")],
    ["a", _("accept the current one: it becomes a set")],
    ["Shift + a", _("accept all")],
    ["r", _("reject the current one (Shift + r: all)")],
  ],
];

/** @type {KeyGroup} */
const WORK_KEYS = [
  _("Work"),
  [
    ["l", _("next label (Shift + l: previous)")],
    ["Ctrl+⏎", _("submit and go to the next text (on the bar, ⏎ is enough)")],
    ["s", _("skip this text for now")],
    ["d", _("propose to discard this text")],
    ["q", _("ask the lead, and read the comments on this text")],
    ["w", _("see what the project's model answers, where the lead allows it")],
    ["c", _("compare a changed version with its original")],
    ["g", _("open or close the guidelines beside the text")],
    ["Shift + g", _("go into the guidelines to scroll them (Shift + g or Esc: back)")],
    ["v", _("go back to your last submission and reopen it (again: to the one before)")],
    ["Shift + v", _("return to the text that you left")],
    ["m", _("my work")],
    ["?", _("this list of keys")],
  ],
];

/** The list of keys as it is shown to people; one line for each thing one can do. @type {KeyGroup[]} */
export const KEY_LIST = [
  [
    _("In the text"),
    [
      ["← →", _("move the token cursor")],
      ["↑ ↓", _("move by a line")],
      ["Home End", _("to the start or end of the line (with Ctrl: of the text)")],
      ["PgUp PgDn", _("move by a screen")],
      [_("Shift + move"), _("extend a range of tokens")],
      ["Space ⏎", _("mark or unmark the token or the range")],
      ["Esc", _("cancel the range (marks stay as they are)")],
    ],
  ],
  [
    _("With the mouse"),
    [
      [_("drag"), _("add tokens to the current set")],
      [_("click"), _("mark or unmark a token")],
      [_("Shift + click"), _("extend from the last token")],
      [_("double click"), _("add the sentence")],
      [_("Alt + drag"), _("remove tokens")],
      [_("set"), _("click to choose it and go to its place; click again to go back")],
      [_("map"), _("beside a long text: shows where the marks are; click to go there")],
    ],
  ],
  [
    _("In long texts"),
    [
      ["] [", _("next or previous mark")],
      ["b", _("go back to where you were reading")],
      ["f", _("show or hide the whole question")],
      ["t", _("keep the table of sets and the note in sight")],
      ["+ −", _("larger or smaller text")],
      ["z", _("text size and line spacing")],
    ],
  ],
  PROPOSED_KEYS,
  [
    _("Sets"),
    [
      ["1 – 9", _("choose a set (or a label)")],
      ["n", _("new set")],
      ["Del", _("clear the set, or remove it if it is empty")],
      ["u", _("unlock a set that passed")],
      ["e", _("erase by click and drag")],
      ["o", _("show this set only")],
      ["x", _("hide all sets")],
      ["Ctrl+Z", _("undo")],
      ["Ctrl+Shift+Z", _("redo")],
    ],
  ],
  WORK_KEYS,
];

/**
 * The keys of a project: those of the answer only where one is given, and for whoever came in by a crowd door none that
 * leads away from the work.
 * @param {Project|null} project
 */
export function keysFor(project, isCrowd = false) {
  const groups = givesAnswer(project) ? KEY_LIST.flatMap(withAnswer) : KEY_LIST;
  return isCrowd ? groups.map((group) => withoutKeys(group, ["q", "w", "m"])) : groups;
}

/** @param {Project|null} project */
const givesAnswer = (project) => project?.result_kind === "answer" && project.result_mode !== "confirm";

/** @param {KeyGroup} group */
const withAnswer = (group) => (group === WORK_KEYS ? [ANSWER_KEYS, withoutKeys(group, ["l"])] : [group]);

/**
 * A group without some of its keys.
 * @param {KeyGroup} group
 * @param {string[]} left  out
 * @returns {KeyGroup}
 */
export const withoutKeys = ([title, rows], left) => [title, rows.filter(([key]) => !left.includes(key))];
