import { parse } from 'acorn';
import { LRUCache } from 'lru-cache';

/** Around the source, as in the sandbox (`libs/sandbox/src/inside/code.ts`): its text begins in the second line. */
const BEFORE = '(async function (input) {\n';
const AFTER = '\n})';

/** What the parser says when its own stack has no room. */
const TOO_DEEP = 'Not enough stack space';

/** As long as a source may be; longer ones are refused for their length. */
const MAX_CHARS = 65_536;

interface SyntaxFault {
  readonly path: string;
  readonly message: string;
}

/** Saving one layer judges the flow as a whole, so most sources have been parsed before. By source; counted in characters. */
const PARSED = new LRUCache<string, { readonly fault: SyntaxFault | null }>({
  maxSize: 2_000_000,
  sizeCalculation: (_parsed, source) => source.length + 100,
});

/**
 * What keeps a source from being parsed, with line and column from 1; null when it can be. It takes time in proportion to the
 * length. A source that is nested too deep for this process is left to the run.
 */
export function syntaxFault(source: unknown): SyntaxFault | null {
  if (typeof source !== 'string' || source.length > MAX_CHARS) return null;
  let parsed = PARSED.get(source);
  if (!parsed) PARSED.set(source, (parsed = { fault: faultIn(source) }));
  return parsed.fault;
}

function faultIn(source: string): SyntaxFault | null {
  try {
    parse(`${BEFORE}${source}${AFTER}`, { ecmaVersion: 'latest', sourceType: 'script' });
    return null;
  } catch (error) {
    if (!(error instanceof SyntaxError) || !('loc' in error) || error.message.startsWith(TOO_DEEP)) return null;
    const { line, column } = error.loc as { line: number; column: number };
    const what = error.message.replace(/ \(\d+:\d+\)$/, '');
    const lines = source.split('\n').length;
    if (line - 1 > lines) return { path: 'source', message: `${what}: the source ends before a bracket is closed` };
    return { path: 'source', message: `${what} (line ${line - 1}, column ${column + 1})` };
  }
}
