/** The keys of the Saliency screen, as the page lists them. */
import { _ } from "../words/language.js";

/** @type {KeyGroup[]} */
export const KEYS = [
  [
    _("Texts"),
    [
      ["j", _("next text")],
      ["k", _("previous text")],
      ["i", _("show or hide the list of texts")],
      ["/", _("search by key or words")],
      ["f", _("slices: by label, split, length, metadata or annotators")],
      ["d", _("the scatter: two numbers of the listed texts against each other")],
      ["t", _("type another text beside this one")],
      ["Esc", _("leave a field or a menu, so that keys work again; else close the typed text")],
      ["l", _("lists: save the texts that are listed, or put this text on a list")],
    ],
  ],
  [
    _("Maps"),
    [
      ["← →", _("point at the next or the previous word")],
      ["[ ]", _("one token fewer or more in the top k")],
      ["s", _("one scale for all maps of a method")],
      ["m", _("show sizes without signs")],
      ["c", _("cut the scale at the 98th percentile")],
      ["n", _("show the scores under the words")],
      ["b", _("show the highest scores as bars")],
      ["p", _("show the model's own pieces")],
      ["x", _("show a matrix of maps by tokens")],
      ["g", _("people's own sets below the words, or the project's gold")],
      ["e", _("export the maps")],
      ["u", _("copy the link to what you see")],
      ["?", _("show these keys")],
    ],
  ],
];
