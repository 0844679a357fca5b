/** The tabs, states and keys of the Perturb screen in words. */
import { _ } from "../words/language.js";

/** @type {Record<PerturbationState, string>} */
export const STATES = {
  waiting: _("being checked"),
  returned: _("returned"),
  approved: _("approved"),
  withdrawn: _("withdrawn"),
};

/**
 * A label or an answer, or that there is none.
 * @param {string|null} result
 */
export const resultWords = (result) => (result === null ? _("no label") : result || _("no answer"));

/** @type {[name: import("./main.js").TabName, title: string, key: string][]} */
export const TABS = [
  ["write", _("Write"), "w"],
  ["check", _("Check"), "c"],
  ["mine", _("Mine"), "m"],
  ["progress", _("Progress"), "p"],
];

/** @type {KeyGroup[]} */
export const KEY_LIST = [
  [
    _("Everywhere"),
    [
      ["w c m p", _("Write, Check, Mine, Progress")],
      ["Esc", _("Leave a field to use single keys")],
      ["Tab", _("from part to part")],
      ["?", _("this list")],
    ],
  ],
  [
    _("Write"),
    [
      ["↑ ↓ Enter", _("Choose a perturbation type")],
      ["k", _("type")],
      ["e", _("into the text")],
      ["1 – 9", _("label")],
      ["l", _("label or answer")],
      ["t", _("note")],
      ["s", _("Suggestions; ↑ ↓ choose, Enter applies")],
      ["+", _("Other suggestions")],
      ["Ctrl+Z", _("undo")],
      ["Ctrl+⏎", _("Submit (again: confirm that no set is left)")],
      ["n", _("Next text without a perturbed version")],
      ["i", _("Show or hide the list")],
      ["/", _("search")],
    ],
  ],
  [
    _("Check"),
    [
      ["a", _("approve")],
      ["x", _("correct")],
      ["r", _("reject")],
      ["n", _("Leave for later; go to the next")],
      ["Ctrl+⏎", _("Send the correction or rejection")],
      ["Esc", _("back without sending")],
    ],
  ],
  [
    _("Mine"),
    [
      ["↑ ↓", _("go through the list")],
      ["Enter", _("open the one chosen")],
    ],
  ],
];
