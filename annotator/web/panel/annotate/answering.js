/**
 * The answer and its place in the text. The draft holds only the answer's words; which of several places was meant is
 * known while one works.
 */

const NOWHERE = [];

/** The words of a span as they stand in the text become the answer; their place is remembered. */
export function placeAnswer(session, span) {
  const words = session.map.textOf(span);
  session.answerPlace = { words, spans: [span] };
  return words;
}

/**
 * Where the answer stands: at the place it was taken from, else where its words stand, if that is at one place only.
 */
export function answerSpans(session) {
  const { project, result } = session;
  if (project?.result_kind !== "answer" || project.result_mode === "confirm" || !result) return NOWHERE;
  if (session.answerPlace?.words !== result)
    session.answerPlace = { words: result, spans: onlyPlaceOf(result, session.map) };
  return session.answerPlace.spans;
}

function onlyPlaceOf(words, map) {
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
