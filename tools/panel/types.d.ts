/**
 * Names that the panel's JSDoc uses, for tsc alone: nothing of this reaches a browser.
 * What the messages hold is described in docs/panel.md.
 */

type Span = import("../../annotator/web/panel/shared/text.js").Span;
type TokenMap = import("../../annotator/web/panel/shared/text.js").TokenMap;
type State = import("../../annotator/web/panel/shared/model.js").State;
type RationaleSet = import("../../annotator/web/panel/shared/model.js").RationaleSet;
type Session = import("../../annotator/web/panel/shared/session.js").Session;
type Job = import("../../annotator/web/panel/shared/saving.js").Job;
type Entry = import("../../annotator/web/panel/shared/storage.js").Entry;
type Answer = import("../../annotator/web/panel/shared/messages.js").Answer;
type Proposal = import("../../annotator/web/panel/shared/proposals.js").Proposal;

type Direction = "ltr" | "rtl";

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

interface Outcome {
  state?: string;
  closed?: string;
  lines?: string[];
  sets?: Record<number, string[]>;
}

interface Work {
  assignment: number;
  revision: number;
  round: number;
  max_rounds?: number | null;
  state: "open" | "returned" | "submitted" | "decided";
  instance: Instance;
  result: { kind: string; given: string | null; mode?: ResultMode } | null;
  draft: Draft;
  is_changed?: boolean;
  proposes?: boolean;
  foreign?: boolean;
  locked_sets?: number[];
  feedback: Feedback | null;
  outcome?: Outcome;
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
  discard_reasons: string[];
  idle_after_s: number;
  asks_model: boolean;
}

interface Timing {
  first_action_at: string | null;
  active_ms: number;
  idle_ms: number;
  edits: number;
}

/** What may stand in an element; null, undefined and false stand for nothing. */
type Child = Node | string | null | undefined | false;

interface Window {
  /** What the document of the page asked before the panel was there (shared/early.js). */
  annotatorEarly?: { url: string; answer: Promise<Answer | null>; data: object } | null;
  annotatorPlace?: (() => string) | null;
}
