/** The keys of the Saliency screen, as the page lists them. */

/** @type {KeyGroup[]} */
export const KEYS = [
  [
    "Texts",
    [
      ["j", "next text"],
      ["k", "previous text"],
      ["i", "show or hide the list of texts"],
      ["/", "search by key or words"],
      ["f", "slices: by label, split, length, metadata or annotators"],
      ["d", "the scatter: two numbers of the listed texts against each other"],
      ["t", "type another text beside this one"],
      ["Esc", "leave a field or a menu, so that keys work again; else close the typed text"],
      ["l", "lists: save the texts that are listed, or put this text on a list"],
    ],
  ],
  [
    "Maps",
    [
      ["← →", "point at the next or the previous word"],
      ["[ ]", "one token fewer or more in the top k"],
      ["s", "one scale for all maps of a method"],
      ["m", "show sizes without signs"],
      ["c", "cut the scale at the 98th percentile"],
      ["n", "show the scores under the words"],
      ["b", "show the highest scores as bars"],
      ["p", "show the model's own pieces"],
      ["x", "show a matrix of maps by tokens"],
      ["g", "people's own sets below the words, or the project's gold"],
      ["e", "export the maps"],
      ["u", "copy the link to what you see"],
      ["?", "show these keys"],
    ],
  ],
];
