import type { TraceContext } from './tracing.js';
import { readTraceParent } from './trace-parent.js';

/** A key of either level of the standard, and printable characters but `,` and `=`. */
const MEMBER = /^([a-z0-9][a-z0-9_\-*/@]{0,255})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{1,256}$/;

const MAX_MEMBERS = 32;
const MAX_LENGTH = 512;
/** Members over this go first where all of them are too long. */
const LONG_MEMBER = 128;

/**
 * W3C Trace Context, level 1: what the tracing systems before us say to those behind us. It is not ours to read; it is checked,
 * since it goes into headers, and goes on as it came. More than 512 characters is cut by whole members, as the standard asks.
 *
 * @returns null when it is none
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

/** The context that came with a request; null when there is none. @param headers as Node gives them */
export function readTraceContext(headers: {
  readonly traceparent?: string | readonly string[];
  readonly tracestate?: string | readonly string[];
}): TraceContext | null {
  const { traceparent, tracestate } = headers;
  if (typeof traceparent !== 'string' || readTraceParent(traceparent) === null) return null;
  const state = tracestate === undefined ? null : readTraceState([tracestate].flat().join(','));
  return state === null ? { traceparent } : { traceparent, tracestate: state };
}

/** Long members go first, then those at the end: they were said the longest ago. */
function cut(members: readonly string[]): string | null {
  const kept = [...members];
  const isTooLong = (): boolean => kept.join(',').length > MAX_LENGTH;
  for (let i = kept.length - 1; i >= 0 && isTooLong(); i -= 1) {
    if ((kept[i] as string).length > LONG_MEMBER) kept.splice(i, 1);
  }
  while (isTooLong()) kept.pop();
  return kept.length === 0 ? null : kept.join(',');
}
