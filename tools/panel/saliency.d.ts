/**
 * The messages of the Saliency screen, as Python makes them (docs/saliency.md; usecases/inspect/saliency.py,
 * web/routes/saliency.py, web/routes/saved_lists.py).
 */

type SaliencyMap = import("../../annotator/web/panel/saliency/heatmap.js").SaliencyMap;
type HeatView = import("../../annotator/web/panel/saliency/shown_sets.js").HeatView;
type NumberRow = import("../../annotator/web/panel/saliency/map_numbers.js").NumberRow;
type Spot = import("../../annotator/web/panel/saliency/scatter_points.js").Spot;
type Brush = import("../../annotator/web/panel/saliency/scatter_points.js").Brush;

/** What tells runs apart. */
interface RunName {
  run: number;
  model: string;
  /** "": a model's predictions */
  method: string;
  seed: number | null;
  parameters: string;
  /** The first run of those that differ in their seed alone. */
  group?: number;
}

interface RunChoice extends RunName {
  layers: number[];
  labels: string[];
}

interface MeasuredRun extends RunName {
  numbers: { layer: number | null; name: string }[];
  has_probabilities: boolean;
}

/** Two numbers of the texts that have both; n: of how many, without_x and without_y: how many have none. */
interface ScatterPoints {
  ids: number[];
  keys: string[];
  x: number[];
  y: number[];
  n: number;
  without_x: number;
  without_y: number;
  /** By model of the numbers, those of ids that it learned from and that the Metrics page leaves out. */
  learned: Record<string, number[]>;
}

interface MeasuredNumbers {
  runs: MeasuredRun[];
  /** Numbers of every text, and of every run that answers with probabilities, besides what was measured. */
  of_texts: string[];
  of_answers: string[];
  names: Record<string, { title: string; definition: string; direction: string; source: string }>;
}

type HeatSubword = [
  text: string,
  start: number | null,
  end: number | null,
  isSpecial: boolean,
  segment: string | null,
  score: number,
];

/** What became of what a model quoted; missing: the first of the quotes that are not in the text. */
interface HeatQuotes {
  n: number;
  n_missing: number;
  missing: string[];
}

/** What a run says of a text. */
interface HeatPanel {
  run: number | null;
  model: string;
  method: string;
  parameters: string;
  seed: number | null;
  unit: string;
  is_signed: boolean;
  label: string;
  asked_label: string | null;
  layer: number | null;
  answer: { label: string; probabilities: Record<string, number> } | null;
  numbers: Record<string, number | null>;
  scores: (number | null)[] | null;
  ranking: number[] | null;
  spans: Span[] | null;
  quotes: HeatQuotes | null;
  subwords: HeatSubword[] | null;
  convergence: number | null;
  facts: Record<string, number>;
  spread: { value: number; share: number | null; n_seeds: number } | null;
  beside_random: string | null;
  held_out: string;
  trust: string | null;
  seen: string | null;
  /** What the model wrote; the map is the mean of the maps of its subwords. */
  written: HeatWritten | null;
  /** Of the map of one subword of what was written, what the subwords before it counted for it (generation.js). */
  earlier?: number[];
  /** By which parameters it differs from another one of its name: found here (runs.js). */
  differs?: string;
}

/** An answer that a model wrote: its subwords, and for each the scores of the words and of the subwords before it, and facts. */
interface HeatWritten {
  subwords: string[];
  scores: (number | null)[][];
  earlier: number[][];
  /** None where they were not stored. */
  facts?: Record<string, number>[];
}

/** A text with its maps; of the version beside it also what stands in the same place. */
interface HeatText {
  instance: {
    id: number;
    key: string;
    split: string;
    result: string | null;
    language: string;
    parent: string | null;
    kind: string | null;
  };
  segments: CutSegment[];
  gold: number[][];
  /** Everybody's own sets, where they were asked for in the place of gold. */
  people: HeatPerson[] | null;
  sides: { name: string; n: number }[];
  ratios: number[];
  are_ratios_measured: boolean;
  panels: HeatPanel[];
  /** Why the gold is not told; "" where it is. */
  withheld: string;
}

/** What one annotator marked. */
interface HeatPerson {
  name: string;
  /** Whether the name counts, or may count, the people of this text alone. */
  is_numbered: boolean;
  is_own: boolean;
  label: string | null;
  is_accepted: boolean;
  facts: string[];
  sets: number[][];
}

/** A set, and what a model answers to it alone; partner: the number of a set of the other family. */
interface JudgedSet {
  tokens: number[];
  /** null where the model was not asked. */
  p: number | null;
  is_sufficient: boolean | null;
  is_compact: boolean | null;
  is_late: boolean;
  pile: "same" | "cores" | "unmarked" | "ignored" | "needed" | "redundant" | null;
  partner: number | null;
}

interface SetFamily {
  sets: JudgedSet[];
  is_comprehensive: boolean | null;
  p_rest: number | null;
}

/** A model's own sets beside people's. */
interface ModelFamilies {
  model: string;
  /** The model that gave the sets as its reasons; "" where they were found. */
  sets_of: string;
  removal: string;
  goes_on: boolean;
  label: string | null;
  is_right: boolean | null;
  p: number | null;
  p_empty: number | null;
  threshold: number | null;
  trouble: string;
  note: string;
  own: SetFamily;
  people: SetFamily | null;
  iou: number[][];
}

interface HeatAnswer extends HeatText {
  families?: ModelFamilies[];
  project: number;
  /** The project's own gold policy. */
  policy: string;
  choices: RunChoice[];
  partners: { id: number; key: string; kind: string | null }[];
}

interface HeatPartner extends HeatText {
  /** For each token of this version the one in its place in the text; null where none is. */
  aligned: (number | null)[];
}

/** A text that was typed, with maps that were computed for it. */
interface TypedAnswer extends HeatPartner {
  /** Which models could not be asked, and why. */
  trouble: string;
}

interface ListedText {
  id: number;
  key: string;
  result: string | null;
  kind: string | null;
  excerpt: string;
  value: number | null;
  label: string | null;
}

interface ListedTexts {
  rows: ListedText[];
  n: number;
  page: number;
  /** How many have no value of the number. */
  without: number;
  /** How many are not listed because one of the two models learned from them. */
  learned: number;
}

/** How many of what is listed otherwise are in a slice; value null: without a label. */
interface SliceCount {
  value: string | null;
  n: number;
}

interface SliceCounts {
  labels: SliceCount[];
  splits: SliceCount[];
  lengths: SliceCount[];
  facts: SliceCount[];
  groups: SliceCount[];
  left_out: number;
}

interface SavedList {
  id: number;
  name: string;
  note: string;
  made_by: string;
  created_at: string;
  changed_at: string;
  n: number;
}

interface OfferedList extends SavedList {
  may_change: boolean;
  /** Whether the text on the screen is on it. */
  holds: boolean;
}

interface SaliencyRoutes {
  list: ListedTexts;
  slices: SliceCounts;
  slice_names: { facts: string[]; groups: string[] };
  instance: HeatAnswer;
  partner: HeatPartner;
  numbers: MeasuredNumbers;
  points: ScatterPoints;
  lists: { lists: OfferedList[] };
  "lists/save": SavedList;
  "lists/change": SavedList;
  "lists/delete": SavedList;
  "lists/put": SavedList;
  typed: TypedAnswer;
  case: { test: string };
}

interface SaliencyData {
  project: number;
  /** Who is signed in; in whose name this tab keeps what is typed. */
  user: number | null;
  csrf: string;
  start: number | null;
  /** Changes with the numbers. */
  measured: string;
  may_import: boolean;
  /** Whether the person can write changed versions. */
  may_write: boolean;
  at_rest: string;
  /** The project's labels; none where it asks for answers. */
  labels: string[];
  routes: string;
}

/** What can be said instead of an answer. */
interface NoAnswer {
  error: string;
  /** What the server answered; none where it was not reached. */
  status?: number;
}

type FileKind = "html" | "svg" | "tex" | "csv" | "png";

/** How the maps are shown. share: of the tokens that are in the top k, in percent; null: the project's own. */
interface HeatState extends Record<HeatFlag, boolean> {
  share: number | null;
}

type HeatFlag = "shared" | "magnitude" | "clip" | "numbers" | "bars" | "pieces" | "matrix";
