/**
 * Parses a richer expression with JSONata's own parser, and finds in its syntax tree what it reads, so that unknown
 * refs cause warnings, variables are listed, and only the outputs that it names are loaded. The sandbox evaluates it.
 */
import jsonata from 'jsonata';
import { RE2JS } from 're2js';
import { checkPattern } from './check-pattern.js';
import type { RichExpression } from './expression.js';
import { givesSequence } from './gives-sequence.js';
import type { RichBudget } from './rich-budget.js';
import { JsonataFault, scanJsonata, type ScannedJsonata } from './scan-jsonata.js';
import { restorePatterns } from './jsonata-copies.js';
import { readsOf, type ReadingOf } from './jsonata-reads.js';
import type { SyntaxNode } from './jsonata-tree.js';
import { VARIABLES } from './variables.js';

export interface ParsedJsonata {
  readonly expression: RichExpression;
  readonly end: number;
}

/**
 * Parses one richer expression, from after its `{{` to after its `}}`.
 *
 * @param charge called with the cost of parsing, before the text is parsed
 * @param variables that can be read
 * @throws JsonataFault
 */
export function parseRich(
  text: string,
  start: number,
  at: string,
  charge: (chars: number) => void,
  variables: readonly string[],
): ParsedJsonata {
  const scanned = scanJsonata(text, start, '}}');
  charge(scanned.chars);
  return parse(scanned, at, { hasInput: false, variables });
}

/**
 * Parses a text that is JSONata as a whole, and may read an input as well (the `expression` of a transform).
 *
 * @throws JsonataFault
 */
export function parseProgram(
  text: string,
  at: string,
  budget?: RichBudget,
  variables: readonly string[] = VARIABLES,
): RichExpression {
  const scanned = scanJsonata(text, 0, 'text');
  budget?.charge(scanned.chars, 0);
  return parse(scanned, at, { hasInput: true, variables }).expression;
}

function parse(
  scanned: ScannedJsonata,
  at: string,
  { hasInput, variables }: Pick<ReadingOf, 'hasInput' | 'variables'>,
): ParsedJsonata {
  const { source, jsonata: text, end, positionOf } = scanned;
  const fault = (message: string, position: number, isMeant = true) =>
    new JsonataFault(message, positionOf(Math.max(0, position)), isMeant);
  try {
    const tree = jsonata(text).ast() as unknown as SyntaxNode;
    restorePatterns(tree);
    const reads = readsOf(tree, { text, hasInput, variables, fault, assertPattern });
    const sequence = givesSequence(tree);
    return { expression: { kind: 'rich', source, at, jsonata: text, reads, ...(sequence && { sequence }) }, end };
  } catch (error) {
    if (error instanceof JsonataFault) throw error;
    if (error instanceof RangeError) throw fault('an expression may not lie that deep', 0);
    const { message, position, token } = error as Partial<jsonata.JsonataError>;
    throw fault(`this is no JSONata: ${message ?? 'it cannot be read'}${hintFor(token)}`, (position ?? 1) - 1, false);
  }
}

/** What people write who expect JavaScript. */
const MEANT: Readonly<Record<string, string>> = {
  '&': 'and',
  '|': 'or',
  '=': '=',
  '!': '$not(…)',
};

function hintFor(token: unknown): string {
  return typeof token === 'string' && Object.hasOwn(MEANT, token) ? `; it is written ${MEANT[token]}` : '';
}

/** @throws Error when a linear engine cannot run it */
function assertPattern(pattern: RegExp): void {
  checkPattern(RE2JS.translateRegExp(pattern));
}
