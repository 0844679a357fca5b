/** Words and keys of the Perturb screen. */

/** @type {Record<PerturbationState, string>} */
export const STATES = { waiting: "being checked", returned: "returned", approved: "approved", withdrawn: "withdrawn" };

/** @type {[name: import("./main.js").TabName, title: string, key: string][]} */
export const TABS = [
  ["write", "Write", "w"],
  ["check", "Check", "c"],
  ["mine", "Mine", "m"],
  ["progress", "Progress", "p"],
];

/** @type {KeyGroup[]} */
export const KEY_LIST = [
  [
    "Everywhere",
    [
      ["w c m p", "Write, Check, Mine, Progress"],
      ["Esc", "leave a field, so that single keys work"],
      ["Tab", "from part to part"],
      ["?", "this list"],
    ],
  ],
  [
    "Write",
    [
      ["↑ ↓ Enter", "go through the kinds, and choose"],
      ["k", "kind"],
      ["e", "into the text"],
      ["1 – 9", "label"],
      ["l", "label or answer"],
      ["t", "note"],
      ["s", "suggestions; ↑ ↓ go through them, Enter applies"],
      ["+", "other suggestions"],
      ["Ctrl+Z", "undo the last change"],
      ["Ctrl+⏎", "submit; once more to confirm that no set is left"],
      ["n", "next text without a changed version"],
      ["i", "list of texts"],
      ["/", "search"],
    ],
  ],
  [
    "Check",
    [
      ["a", "approve"],
      ["x", "correct"],
      ["r", "reject"],
      ["n", "leave it for later; next one"],
      ["Ctrl+⏎", "send the correction or the rejection"],
      ["Esc", "back without sending"],
    ],
  ],
  [
    "Mine",
    [
      ["↑ ↓", "go through the list"],
      ["Enter", "open"],
    ],
  ],
];
