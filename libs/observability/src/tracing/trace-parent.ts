const TRACE_PARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-[\x21-\x7e]*)?$/;
const NOTHING = /^0+$/;
/** The length that a later version may add; a longer header is invalid. */
const MAX_LENGTH = 256;

export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** W3C Trace Context, level 1: a later version may append fields after those that we read; `ff` and ids of zeros are invalid. */
export function readTraceParent(text: string): TraceParent | null {
  if (text.length > MAX_LENGTH) return null;
  const [, version, traceId = '', spanId = '', flags = '', more] = TRACE_PARENT.exec(text) ?? [];
  if (version === undefined || version === 'ff' || NOTHING.test(traceId) || NOTHING.test(spanId)) return null;
  if (version === '00' && more !== undefined) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}
