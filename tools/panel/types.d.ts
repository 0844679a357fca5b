/**
 * Names that the panel's JSDoc uses, for tsc alone: nothing of this reaches a browser.
 *
 * The messages of the token panel, of talk and of the model's answers, as Python makes them (docs/panel.md;
 * usecases/annotate/*_messages.py, usecases/models/previews.py). Those of the other screens: review.d.ts, perturb.d.ts,
 * saliency.d.ts.
 */

type Span = import("../../annotator/web/panel/shared/tokens.js").Span;
type TokenMap = import("../../annotator/web/panel/shared/tokens.js").TokenMap;
type State = import("../../annotator/web/panel/shared/annotation.js").State;
type RationaleSet = import("../../annotator/web/panel/shared/annotation.js").RationaleSet;
type Session = import("../../annotator/web/panel/shared/session.js").Session;
type ReviewSession = import("../../annotator/web/panel/review/session.js").ReviewSession;
type Entry = import("../../annotator/web/panel/shared/browser_storage.js").Entry;
type Proposal = import("../../annotator/web/panel/shared/proposals.js").Proposal;
type Query = import("../../annotator/web/panel/shared/messages.js").Query;
type SavingWord = import("../../annotator/web/panel/shared/saving.js").SavingWord;
type JobKind = import("../../annotator/web/panel/shared/saving.js").JobKind;
type PageNotice = import("../../annotator/web/panel/shared/dialogs.js").PageNotice;

type Direction = "ltr" | "rtl";

/** What may stand in an element; null, undefined and false stand for nothing. */
type Child = Node | string | null | undefined | false;

/** A list of keys: titles, each with rows of a key and what it does. */
type KeyGroup = [title: string, rows: [key: string, words: string][]];

/** What an action is called with is the business of whoever calls it; what it gives back, of nobody. */
interface Window {
  /** What the document of the page asked before the panel was there (annotate/early.js). */
  annotatorEarly?: { url: string; answer: Promise<Answer<NextWork> | null>; data: PanelData } | null;
  annotatorPlace?: (() => string) | null;
}
/** The path below which the program is served. */
declare var annotatorPrefix: string | undefined;

// ---- answers of routes

/** A message that was refused, with a sentence for the person. 0: the server cannot be reached. */
type Refused = 0 | 400 | 401 | 403 | 404 | 405 | 409 | 410 | 413 | 422 | 429 | 500 | 502 | 503;

interface Refusal<W = Work> {
  error?: string;
  /** The set that is meant. */
  set?: number | null;
  /** Whether the same may be sent again with `confirmed` or `may_be_empty`. */
  warning?: boolean;
  /** Of a 409: what is stored. */
  work?: W;
}

type Answer<Body = object, W = Work> = { status: 200; body: Body } | { status: Refused; body: Refusal<W> };

/** Why work is kept on the screen: what was refused, and what can be done about it. */
interface Problem {
  error: string;
  warning?: boolean;
  /** Nothing may be sent any more: it is not the person's. */
  lost?: boolean;
  ended?: boolean;
  kind?: string;
}

/** What the shared parts (saving, leftovers, flow, stage) know of a piece of work, whatever it is. */
interface WorkSession {
  readonly id: number;
  readonly opens: number;
  work: { state: string; revision: number; draft: object; instance: Instance };
  map: TokenMap;
  clock: import("../../annotator/web/panel/shared/session.js").Clock;
  revision: number;
  version: number;
  saved: number;
  problem: Problem | null;
  conflict: { work: { state: string; revision: number; draft: object }; error: string } | null;
  readonly draft: object;
  readonly dirty: boolean;
  readonly held: boolean;
  readonly unsaved: SavingWord | null;
  readonly open: boolean;
  /** The token that the cursor stands on, and the other end of its range. */
  cursor: number | null;
  anchor: number | null;
  load(draft: object): void;
}

/** What was acknowledged: of a draft its new revision, of what left the screen what comes after it. */
interface Saved {
  revision?: number;
  counts?: Counts;
  ahead?: Work | null;
  next?: NextReview;
}

/** What sends work on its way. */
interface Sender<W> {
  post(kind: JobKind, body: object): Promise<Answer<Saved, W>>;
}

/** What a screen was made with, from the page's script (docs/panel.md, "Mount data"). */
interface MountData {
  project: number;
  user?: number | null;
  csrf: string;
  routes: string;
  start?: number | null;
}

interface GuidelinesData {
  project: number;
  csrf: string;
  /** version 0: there are none */
  guidelines?: { user: number | null; version: number; asks: "" | "first" | "changed" };
}

interface PanelData extends MountData, GuidelinesData {
  /** train: a text with known gold, which is no work yet */
  mode: "mark" | "train" | "read";
  work: Work | null;
  brief?: boolean;
}

interface EditData {
  project: number;
  settings: Project;
  work: Work;
  words: { store: string; reason: string; reason_hint: string; reason_missing: string };
}

type Trigger = (name: string, value: unknown) => void;

// ---- a text and the work on it

interface Segment {
  name: string;
  title: string;
  selectable: boolean;
  text: string;
  starts: number[];
  ends: number[];
  sentences?: number[];
}

/** What was changed of the original of a changed version. */
interface Change {
  words: string;
  is_other_result: boolean;
}

interface Instance {
  id: number;
  key: string;
  split?: string;
  language?: string;
  direction?: Direction;
  segments: Segment[];
  target: Span | null;
}

interface Draft {
  result: string | null;
  sets: Span[][];
  note: string;
  no_rationale: boolean;
  origins?: (number | null)[];
  unlocked?: number[];
  proposed?: Record<number, string>;
}

interface Feedback {
  round: number;
  lines: string[];
  sets?: Record<number, string[]>;
}

type MyWorkState =
  | "submitted"
  | "accepted"
  | "returned"
  | "proposed"
  | "discarded"
  | "skipped"
  | "draft"
  | "passed on";

interface Outcome {
  state?: MyWorkState;
  closed?: string;
  lines?: string[];
  sets?: Record<number, string[]>;
}

interface Work {
  assignment: number;
  revision: number;
  round: number;
  max_rounds?: number | null;
  state: "open" | "returned" | "submitted";
  instance: Instance;
  result: { kind: "label" | "answer"; given: string | null; mode?: ResultMode } | null;
  draft: Draft;
  is_changed?: boolean;
  proposes?: boolean;
  is_blind?: boolean;
  /** Set here, of work that is only read. */
  foreign?: boolean;
  locked_sets?: number[];
  feedback: Feedback | null;
  outcome?: Outcome | null;
}

type ResultMode = "confirm" | "contest" | "give" | "labels_only";

interface Project {
  id: number;
  name: string;
  question: string;
  labels: string[];
  result_kind: "label" | "answer";
  result_mode: ResultMode;
  may_be_empty: boolean;
  sets_may_cross_segments?: boolean;
  discard_reasons: Record<string, string>;
  idle_after_s: number;
  asks_model: boolean;
}

interface Counts {
  returned: number;
  open: number;
  waiting: number;
  submitted: number;
  skipped: number;
  /** Where the message said when today began. */
  today?: number;
  /** Of whoever came in by a crowd door: how many texts they do, how many are done, and how long the visit lasts. */
  quota?: number;
  done?: number;
  seconds_left?: number;
}

interface NextWork {
  work: Work | null;
  ahead: Work | null;
  project: Project;
  counts: Counts;
  empty: string | null;
  elsewhere: [project: number, name: string][];
}

interface Timing {
  first_action_at: string | null;
  active_ms: number;
  idle_ms: number;
  edits: number;
}

/** What is proposed for a text, before it was looked at here. */
interface Proposed {
  proposals: Omit<Proposal, "size">[];
  ignored: { names: string[]; spans: Span[] } | null;
  notes: string[];
  change?: Change | null;
}

/** A run of a text's comparison with another one. */
type Piece = [kind: "kept" | "deleted" | "inserted" | "replaced", before: string, after: string];

interface ShownOriginal {
  language: string;
  direction: Direction;
  segments: { title: string; is_changed: boolean; pieces: Piece[] }[];
}

/** What the list of one's own work and that of one's own reviews have in common. */
interface OwnRow {
  key: string;
  excerpt: string;
  state: string;
  result: string | null;
  sets: number;
  at: string;
  lines: string[];
}

interface OwnPage<Row> {
  rows: Row[];
  total: number;
  page: number;
  page_size: number;
}

interface MyWorkRow extends OwnRow {
  assignment: number;
  instance: number;
  may_reopen: boolean;
}

interface PanelRoutes {
  next: NextWork;
  seen: object;
  proposed: Proposed;
  original: ShownOriginal;
  draft: { revision: number };
  submit: { counts: Counts; ahead: Work | null };
  skip: { counts: Counts; ahead: Work | null };
  discard: { counts: Counts; ahead: Work | null };
  withdraw: { work: Work; counts: Counts };
  back: { work: Work; counts: Counts };
  mine: OwnPage<MyWorkRow>;
}

// ---- talk

interface ShownComment {
  id: number;
  author: string;
  voice: string;
  mine: boolean;
  text: string;
  at: string;
}

interface ShownThread {
  id: number;
  about: string;
  waits_for_lead: boolean;
  comments: ShownComment[];
}

interface ShownSubject {
  about: "instance" | "annotation" | "set" | "decision";
  annotation: number | null;
  position: number | null;
  words: string;
}

interface ShownTalk {
  threads: ShownThread[];
  subjects: ShownSubject[];
}

interface TalkRoutes {
  of: ShownTalk;
  begin: ShownTalk;
  answer: ShownTalk;
}

// ---- what models say of the sets

/** p null: another answer was given, and nothing is said of this one. */
interface ModelAnswer {
  p: number | null;
  predicted: string;
}

interface Answered {
  model: string;
  kind: "built-in" | "spacy" | "transformers" | "transformers-zero-shot" | "none";
  trouble: null;
  label: string;
  unseen: number;
  full: ModelAnswer;
  rest: ModelAnswer;
  sets: (ModelAnswer & { less: [token: number, p: number | null][] })[];
  trust?: string | null;
  seen?: string | null;
  attributions: Fit[];
}

interface Unanswered {
  model: null;
  kind: Answered["kind"];
  trouble: string | null;
  attributions: Fit[];
}

/** How the sets fit an attribution that is stored. */
interface Fit {
  run: number;
  model: string;
  method: string;
  seed: number | null;
  layer: number | null;
  label: string | null;
  /** Of each side of the text: the top k of its n tokens. */
  k: number[];
  n: number[];
  sets: { f1: number | null; iou: number | null; ap: number | null }[];
}

interface PreviewRoutes {
  preview: Answered | Unanswered;
}

// ---- what buttons and keys do

/** What one can do in Annotate, and of it in the panel for editing. */
interface WorkActions {
  hover(index: number | null): void;
  choose(index: number, byHand?: boolean): void;
  newSet(): void;
  unlock(index?: number): void;
  undo(): void;
  redo(): void;
  look(name: LookName): void;
  noRationale(): void;
  result(result: string | null): void;
  note(text: string): void;
  submit(confirmed?: boolean): void;
  skip(): void;
  discard(): void;
  ask?(): void;
  answers?(): void;
  guidelines(reads?: boolean): void;
  original?(): void;
  mine?(): void;
  back?(): void;
  forward(): void;
  nextMark(by: number): void;
  table(): void;
  reading(): void;
  noAnswer(): void;
  keys(): void;
  retry(): void;
  withdraw(): void;
  goOn(): void;
  accept(all: boolean): void;
  reject(all: boolean): void;
  nextProposal(by: number): void;
  take(id: number): void;
  glance(id: number | null): void;
  focusText(): void;
  keepMine(): void;
  takeTheirs(): void;
  takeAgain(): void;
}

type LookName = "erase" | "only" | "hide" | "answer";

/** What one can do in Review. */
interface ReviewActions {
  hover(index: number | null): void;
  choose(set: number | null, property?: ScoreName | null): void;
  score(value: number): void;
  move(by: number): void;
  look(view: import("../../annotator/web/panel/review/session.js").View): void;
  arrow(right: boolean): void;
  point(token: number): void;
  comment(set: number | null, text: string): void;
  submit(): void;
  skip(): void;
  ask?(): void;
  answers(): void;
  guidelines(reads?: boolean): void;
  mine?(): void;
  reading(): void;
  keys(): void;
  retry(): void;
  goOn(): void;
  takeBack(): void;
  keepMine(): void;
  takeTheirs(): void;
  focusText(): void;
}
