/** The messages of the Review screen, as Python makes them (docs/review.md; usecases/review/panel_messages.py). */

/** Exact numbers in words: "8/3". */
interface CarriedMeans {
  sufficiency: string;
  compactness: string;
}

interface ReviewedSet {
  spans: Span[];
  is_carried: boolean;
  carried: CarriedMeans | null;
  /** Which set it was in the round before. */
  previous: number | null;
}

interface SetScore {
  sufficiency: number | null;
  compactness: number | null;
  comment: string;
}

interface Scores {
  comprehensiveness: number | null;
  comment: string;
  sets: SetScore[];
}

interface FormerRound {
  round: number;
  sets: Span[][];
  lines: string[];
  set_lines: Record<number, string[]>;
}

type ScoreName = "sufficiency" | "compactness" | "comprehensiveness";

interface Finding {
  property: ScoreName;
  set: number | null;
  scores: number[];
  mean: string;
  threshold: string;
  passes: boolean;
}

interface Decision {
  outcome: "accepted" | "returned" | "discarded";
  by: string;
  reason: string;
  findings: Finding[];
  others: { set: number | null; line: string }[];
}

interface Review {
  review: number;
  revision: number;
  annotation: number;
  round: number;
  max_rounds: number;
  state: "open" | "submitted" | "decided";
  instance: Instance;
  result: string | null;
  note: string;
  no_rationale: boolean;
  sets: ReviewedSet[];
  scores: Scores;
  previous: FormerRound | null;
  decision: Decision | null;
}

/** In the words of the parts that send and keep work (review/flow.js). */
interface ReviewWork extends Review {
  is_blind?: undefined;
  assignment: number;
  draft: Scores;
}

interface ReviewProject {
  id: number;
  name: string;
  question: string;
  has_guidelines: boolean;
  idle_after_s: number;
  asks_model: boolean;
}

interface NextReview<W = ReviewWork> {
  work: W | null;
  project: ReviewProject;
  counts: Record<string, number>;
  empty: string | null;
}

interface MyReviewRow extends OwnRow {
  review: number;
  annotation: number;
  round: number;
  may_change: boolean;
  scored: string[];
}

/** What the routes answer. */
interface ReviewRoutes {
  next: NextReview<Review>;
  save: { revision: number };
  submit: { next: NextReview<Review> };
  skip: { next: NextReview<Review> };
  mine: OwnPage<MyReviewRow>;
}

interface ReviewData extends MountData, GuidelinesData {
  /** a text with known scores, which is no work yet */
  training?: boolean;
}
