import type { TraceContext } from './tracing.js';
import { readTraceParent } from './trace-parent.js';

/** A key of either level of the standard, and printable characters except `,` and `=`. */
const MEMBER = /^([a-z0-9][a-z0-9_\-*/@]{0,255})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{1,256}$/;

const MAX_MEMBERS = 32;
const MAX_LENGTH = 512;
/** If all members together are too long, members over this are removed first. */
const LONG_MEMBER = 128;

/**
 * W3C Trace Context, level 1: data of other tracing systems, which we pass on unchanged without reading it. It is validated,
 * because it goes into headers. Beyond 512 characters, whole members are removed, as the standard requires.
 *
 * @returns null when it is invalid
 */
export function readTraceState(text: string): string | null {
  const members = text.split(',').map((member) => member.trim());
  const said = members.filter((member) => member !== '');
  if (said.length === 0 || said.length > MAX_MEMBERS) return null;
  const keys = said.map((member) => MEMBER.exec(member)?.[1]);
  if (keys.includes(undefined) || new Set(keys).size < keys.length) return null;
  const whole = text.trim();
  return whole.length <= MAX_LENGTH ? whole : cut(said);
}

/** The context of a request; null if it has no valid context. @param headers as Node gives them */
export function readTraceContext(headers: {
  readonly traceparent?: string | readonly string[];
  readonly tracestate?: string | readonly string[];
}): TraceContext | null {
  const { traceparent, tracestate } = headers;
  if (typeof traceparent !== 'string' || readTraceParent(traceparent) === null) return null;
  const state = tracestate === undefined ? null : readTraceState([tracestate].flat().join(','));
  return state === null ? { traceparent } : { traceparent, tracestate: state };
}

/** Long members are removed first, then those at the end, which are the oldest. */
function cut(members: readonly string[]): string | null {
  const kept = [...members];
  const isTooLong = (): boolean => kept.join(',').length > MAX_LENGTH;
  for (let i = kept.length - 1; i >= 0 && isTooLong(); i -= 1) {
    if ((kept[i] as string).length > LONG_MEMBER) kept.splice(i, 1);
  }
  while (isTooLong()) kept.pop();
  return kept.length === 0 ? null : kept.join(',');
}
