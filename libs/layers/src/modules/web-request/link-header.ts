/** Reads the header `Link` of RFC 8288. */

const MAX_CHARS = 65_536;
/** One target with its parameters. */
const TARGET = /\s*(?:,\s*)?<([^>]*)>/y;
/** A value in quotes may contain what else ends it. */
const PARAMETER = /\s*;\s*([!#$%&'*+.^`|~\w-]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",;]*)))?/y;

/** The first target whose relation is `next`; null when no target has it, or the header cannot be read up to it. */
export function nextLink(header: string | undefined): string | null {
  const text = (header ?? '').slice(0, MAX_CHARS);
  let at = 0;
  for (;;) {
    TARGET.lastIndex = at;
    const target = TARGET.exec(text);
    if (!target) return null;
    at = TARGET.lastIndex;
    const parameters = new Map<string, string>();
    for (;;) {
      PARAMETER.lastIndex = at;
      const found = PARAMETER.exec(text);
      if (!found) break;
      at = PARAMETER.lastIndex;
      const [, name = '', quoted, plain = ''] = found;
      const key = name.toLowerCase();
      // the first of several counts
      if (!parameters.has(key)) parameters.set(key, quoted?.replaceAll(/\\(.)/g, '$1') ?? plain);
    }
    const relations = (parameters.get('rel') ?? '').toLowerCase().split(/\s+/);
    // with an anchor it is about another resource than this page
    if (relations.includes('next') && !parameters.has('anchor')) return target[1] ?? null;
  }
}
