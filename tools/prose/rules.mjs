/**
 * Phrases that readers stumble on, with what to write instead. `wrong` and `right` are the rule's own test: it finds each
 * of the former and none of the latter. A space in a pattern stands for any white space, so a phrase may cross lines.
 *
 * @typedef {object} ProseRule
 * @property {RegExp} pattern
 * @property {string} instead
 * @property {readonly string[]} wrong
 * @property {readonly string[]} right
 */

// prose: allow
/** @type {readonly ProseRule[]} */
export const PROSE_RULES = [
  {
    pattern: /\b(is|are|was|were) none\b/,
    instead: '"is not a …", or say what is missing',
    wrong: ['A token in the URL is none.', 'Answers that\nare none'],
    right: ['There are no tokens in the URL.', 'None of them is ready.'],
  },
  {
    pattern: /(?<!\bthere )\b(is|are|was|were) no (?!longer\b|more than\b|one\b|\w+er than\b)/i,
    instead: '"is not a …"',
    wrong: ['A play that ends SKIP is no failure.'],
    right: ['There is no index.', 'It is no longer used.', 'There are\nno rows.'],
  },
  {
    pattern: /\b(is|are|was|were) away\b/,
    instead: '"is unreachable"',
    wrong: ['While Redis is away, nothing is sent.'],
    right: ['The lock is taken away.'],
  },
  {
    pattern: /\b(is|are|was|were|be|been|being) (not )?told\b/,
    instead: '"is notified", "is published", "is reported"',
    wrong: ['Readers are told of it.', 'A process that was told nonsense', 'The parent was not told.'],
    right: ['Readers are notified.'],
  },
  {
    pattern: /\bcomes next\b/,
    instead: 'name who acts',
    wrong: ['Who comes next asks again.'],
    right: ['The next caller asks again.'],
  },
  {
    pattern: /\b(lies|lie|lay) (in|at|on|under|behind|before|after|beside|there)\b/,
    instead: '"is stored in", "is in", "precedes"',
    wrong: ['The payload lies in GridFS.'],
    right: ['The payload is stored in GridFS.'],
  },
  {
    pattern: /\bstands? (in|at|on|under|beside|behind|there)\b/,
    instead: '"is stored in", "is in", "is shown in"',
    wrong: ['The token stands in the query.'],
    right: ['The token is in the query.', 'A mark stands for a play.'],
  },
  {
    pattern:
      /\bbehind (it|them|this|that|these|those|its|their|which|whom|what|one another|each other|the (cursor|window|ring|last|first|one|other|mark|next|present))\b/,
    instead: '"after" or "before" for order, "outside" for a window',
    wrong: ['A play behind the cursor', 'The layer behind\nit reads that.'],
    right: ['A process behind a proxy', 'HTTP behind the egress guard'],
  },
  {
    pattern: /\bbeside\b/i,
    instead: '"in parallel with", "next to", "in addition to"',
    wrong: ['The write beside a call'],
    right: ['Besides, it is faster.', 'The write in parallel with a call'],
  },
  {
    pattern: /\bso many\b/i,
    instead: '"this many", "that many"',
    wrong: ['So many plays run at once.'],
    right: ['At most this many plays run at once.'],
  },
  {
    pattern: /(?<=^|[.;:] |\n)(Who|Whoever) (?!may\b|can\b|decides\b|is\b)[a-z]+ [^?.]*(\.|;|$)/,
    instead: 'a noun: "a caller that …", "a process that …", "users who …"',
    wrong: ['Who asks meanwhile is answered from memory.', 'It waits. Whoever comes asks again.'],
    right: ['Who asks for it?', 'Who may do what', 'A caller that asks meanwhile is answered from memory.'],
  },
];
