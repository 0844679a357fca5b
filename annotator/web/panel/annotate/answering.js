/**
 * The answer and its place in the text. The draft holds only the answer's words; which of several places was meant is
 * known while one works.
 */

/** @type {Span[]} */
const NOWHERE = [];

/**
 * The words of a span as they stand in the text become the answer; their place is remembered.
 * @param {Session} session
 * @param {Span} span
 */
export function placeAnswer(session, span) {
  const words = session.map.textOf(span);
  session.answerPlace = { words, spans: [span] };
  return words;
}

/**
 * Where the answer stands: at the place it was taken from, else where its words stand, if that is at one place only.
 * @param {Session} session
 */
export function answerSpans(session) {
  const { project, result } = session;
  if (project?.result_kind !== "answer" || project.result_mode === "confirm" || !result) return NOWHERE;
  const known = session.answerPlace;
  const place = known?.words === result ? known : { words: result, spans: onlyPlaceOf(result, session.map) };
  session.answerPlace = place;
  return place.spans;
}

/** @param {string} words @param {TokenMap} map */
function onlyPlaceOf(words, map) {
  /** @type {Span[]} */
  const found = [];
  for (const segment of map.reading) {
    const { text } = map.segments[segment];
    for (let at = text.indexOf(words); at >= 0 && found.length < 2; at = text.indexOf(words, at + 1)) {
      const span = map.spanAt(segment, at, at + words.length);
      if (span) found.push(span);
    }
  }
  return found.length === 1 ? found : NOWHERE;
}
