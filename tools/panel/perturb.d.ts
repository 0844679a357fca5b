/** The messages of the Perturb screen, as Python makes them (docs/perturb.md; usecases/perturb/panel_messages.py). */

interface Kind {
  name: string;
  title: string;
  description: string;
  family: "benchmark" | "contrast" | "functional" | "own";
  keeps_label: boolean | null;
}

interface Waiting {
  to_check: number;
  returned: number;
}

interface PerturbRules {
  kinds: Kind[];
  labels: string[];
  result_kind: "label" | "answer";
  titles: Record<string, string>;
  checkers: number;
  waiting: Waiting;
  may: { write: boolean; check: boolean };
}

/** A segment cut at its tokens: what stands before each, the token itself, and what follows the last. */
interface CutSegment {
  name: string;
  first: number;
  is_selectable: boolean;
  tokens: string[];
  before: string[];
  rest: string;
}

interface PairSegment extends CutSegment {
  text: string;
}

/** A changed text, as it is written and sent; texts by segment. */
interface Changed {
  kind: string;
  texts: Record<string, string>;
  result: string | null;
  note: string;
}

/** Which state of a draft it is that one tab wrote. */
interface Turn {
  writer: string;
  turn: number;
}

interface PairInstance {
  id: number;
  key: string;
  split: string;
  language: string;
  direction: Direction;
  result: string | null;
  segments: PairSegment[];
  /** The tokens of each gold set. */
  gold: number[][];
}

type PerturbationState = "waiting" | "returned" | "approved" | "withdrawn";

interface BriefVersion extends Changed {
  id: number;
  author: string | null;
  state: PerturbationState;
  /** The instance that it became. */
  instance: number | null;
}

interface PerturbOriginal extends PairInstance {
  draft: Changed | null;
  others: BriefVersion[];
}

type RunKind = "kept" | "deleted" | "inserted" | "replaced";
/** In the instances' token numbers. */
type Run = [kind: RunKind, start: number, end: number, otherStart: number, otherEnd: number];

/** What a changed text comes to. */
interface Look {
  segments: PairSegment[];
  runs: Run[];
  n_edited: number;
  minimality: number | null;
  n_inside: number;
  share_inside: number | null;
  /** The tokens of each set that is carried over, and which set of the original each was. */
  sets: number[][];
  origins: number[];
  notes: string[];
  problems: string[];
  /** What is to be said where no set or no text is left, else "". */
  nothing_left: string;
}

/** An edit of a text as [start, end, replacement]. */
type Edit = [start: number, end: number, replacement: string];

interface Suggestion {
  why: string;
  maker: string;
  edits: Edit[];
}

interface AuthoredVersion extends Changed {
  number: number;
  by: string | null;
  reason: string;
  at: string;
  is_correction: boolean;
  since: Record<string, Piece[]>;
}

interface VersionCheck {
  version: number;
  by: string | null;
  verdict: "approve" | "correct" | "reject";
  reason: string;
  at: string;
}

interface Perturbation extends BriefVersion {
  original: number;
  key: string;
  version: number;
  may_check: boolean;
  language: string;
  direction: Direction;
  wanted: number;
  versions: AuthoredVersion[];
  checks: VersionCheck[];
  stale: string[];
}

interface ToCheck {
  perturbation: Perturbation & { may_revise: boolean };
  original: PairInstance;
  look: Look;
}

type MaybeToCheck = ToCheck | { perturbation: null };

/** What differs from the original, by segment. */
interface Changes {
  changes: Record<string, Piece[]>;
  language: string;
  direction: Direction;
}

type MyPerturbation = Perturbation & Changes;

interface BegunDraft extends Changes {
  id: number;
  key: string;
  kind: string;
  result: string | null;
}

interface OriginalRow {
  id: number;
  key: string;
  result: string | null;
  excerpt: string;
  n_there: number;
  n_waiting: number;
  has_draft: boolean;
}

interface PerturbProgress {
  target: number;
  kinds: { name: string; title: string; approved: number; waiting: number; returned: number }[];
  authors: { name: string; approved?: number; waiting?: number; returned?: number }[];
  checkers: { name: string; approve?: number; correct?: number; reject?: number }[];
  tells_all: { authors: boolean; checkers: boolean };
  originals: number;
  without: number;
  offered: number;
}

interface HandedIn {
  perturbation: number;
  state: PerturbationState;
}

interface PerturbRoutes {
  rules: PerturbRules;
  originals: { rows: OriginalRow[]; n: number; n_unfinished: number; page: number; per_page: number };
  next: { instance: number | null };
  original: PerturbOriginal;
  look: Look;
  "discard-draft": object;
  suggest: { suggestions: Suggestion[] };
  "hand-in": HandedIn;
  revise: HandedIn;
  withdraw: HandedIn;
  mine: { rows: MyPerturbation[]; drafts: BegunDraft[]; page: number; pages: number };
  progress: PerturbProgress;
  "check/next": MaybeToCheck;
  check: ToCheck;
  "check/look": Look;
  "check/approve": { state: PerturbationState };
  "check/reject": { state: PerturbationState };
  "check/correct": { state: PerturbationState };
}

type PerturbMessages = import("../../annotator/web/panel/shared/messages.js").Messages<PerturbRoutes>;
type PerturbData = MountData;

/** What the tabs of the screen are made of. */
interface PerturbParts {
  data: PerturbData;
  rules: PerturbRules;
  messages: PerturbMessages;
  stage: import("../../annotator/web/panel/perturb/main.js").Perturb;
}

/** A tab of the screen. */
interface PerturbView {
  readonly root: HTMLElement;
  readonly instance?: number | null;
  readonly perturbation?: number | null;
  /** What the browser's tab is named after. */
  readonly shownKey?: string;
  /** Whether it asks the server again each time it is opened. */
  readonly startsAnew?: boolean;
  start(at: number | null): unknown;
  /** Whether the key meant something here. */
  key?(event: KeyboardEvent, isTyping: boolean): boolean;
  theme?(dark: boolean): void;
  destroy?(): void;
}

/** What is written at a desk, and what becomes of it. */
interface DeskWork {
  original: PairInstance;
  /** kind "": none is chosen yet; texts null: none is changed yet */
  changed: Omit<Changed, "texts"> & { texts: Record<string, string> | null };
  /** Of its entry in the browser. */
  key: string;
  /** Whether the server keeps it as a draft. */
  isKept: boolean;
  suggests: boolean;
  wantsReason?: boolean;
  /** On the button that sends it. */
  words: string;
  look(changed: Changed, turn: Turn): Promise<Answer<Look>>;
  send(changed: Changed, mayBeEmpty: boolean, reason: string): Promise<Answer<{ state: PerturbationState }>>;
  onsent(body: { state: PerturbationState }): void;
  onleave?(): void;
}
