/** The keys of Annotate as they are listed for people. */

/** @type {KeyGroup} */
const ANSWER_KEYS = [
  "The answer",
  [
    [
      "0",
      "select it in the text: the words that you drag over, click or mark with Space next become the answer; Esc cancels",
    ],
    ["i", "say that there is no answer"],
    ["l", "type it"],
  ],
];

/** The list of keys as it is shown to people; one line for each thing one can do. @type {KeyGroup[]} */
export const KEY_LIST = [
  [
    "In the text",
    [
      ["← →", "move the token cursor"],
      ["↑ ↓", "move by a line"],
      ["Home End", "to the start or end of the line (with Ctrl: of the text)"],
      ["PgUp PgDn", "move by a screen"],
      ["Shift + move", "extend a range of tokens"],
      ["Space ⏎", "mark or unmark the token or the range"],
      ["Esc", "cancel the range (marks stay as they are)"],
    ],
  ],
  [
    "With the mouse",
    [
      ["drag", "add tokens to the current set"],
      ["click", "mark or unmark a token"],
      ["Shift + click", "extend from the last token"],
      ["double click", "add the sentence"],
      ["Alt + drag", "remove tokens"],
      ["set", "click to choose it and go to its place; click again to go back"],
      ["map", "beside a long text: shows where the marks are; click to go there"],
    ],
  ],
  [
    "In long texts",
    [
      ["] [", "next or previous mark"],
      ["b", "go back to where you were reading"],
      ["f", "show or hide the whole question"],
      ["t", "keep the table of sets and the note in sight"],
      ["+ −", "larger or smaller text"],
      ["z", "text size and line spacing"],
    ],
  ],
  [
    "Proposed sets",
    [
      ["p", "go to the next one (Shift + p: back)"],
      ["a", "accept the current one: it becomes a set"],
      ["Shift + a", "accept all"],
      ["r", "reject the current one (Shift + r: all)"],
    ],
  ],
  [
    "Sets",
    [
      ["1 – 9", "choose a set (or a label)"],
      ["n", "new set"],
      ["Del", "clear the set, or remove it if it is empty"],
      ["u", "unlock a set that passed"],
      ["e", "erase by click and drag"],
      ["o", "show this set only"],
      ["x", "hide all sets"],
      ["Ctrl+Z", "undo"],
      ["Ctrl+Shift+Z", "redo"],
    ],
  ],
  [
    "Work",
    [
      ["l", "next label (Shift + l: previous)"],
      ["Ctrl+⏎", "submit and go to the next text (on the bar, ⏎ is enough)"],
      ["s", "skip this text for now"],
      ["d", "propose to discard this text"],
      ["q", "ask the lead, and read the comments on this text"],
      ["w", "see what the project's model answers, where the lead allows it"],
      ["c", "compare a changed version with its original"],
      ["g", "open or close the guidelines beside the text"],
      ["Shift + g", "go into the guidelines to scroll them (Shift + g or Esc: back)"],
      ["v", "go back to your last submission and reopen it (again: to the one before)"],
      ["Shift + v", "return to the text that you left"],
      ["m", "my work"],
      ["?", "this list of keys"],
    ],
  ],
];

/**
 * The keys of a project: those of the answer only where one is given, and for whoever came in by a crowd door none that
 * leads away from the work.
 * @param {Project|null} project
 */
export function keysFor(project, isCrowd = false) {
  const keys = isCrowd ? KEY_LIST.map((group) => withoutKeys(group, ["q", "w", "m"])) : KEY_LIST;
  if (project?.result_kind !== "answer" || project.result_mode === "confirm") return keys;
  return keys.flatMap((group) => (group[0] === "Work" ? [ANSWER_KEYS, withoutKeys(group, ["l"])] : [group]));
}

/**
 * A group without some of its keys.
 * @param {KeyGroup} group
 * @param {string[]} left  out
 * @returns {KeyGroup}
 */
export const withoutKeys = ([title, rows], left) => [title, rows.filter(([key]) => !left.includes(key))];
