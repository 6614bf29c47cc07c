const TRACE_PARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const NOTHING = /^0+$/;

export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** W3C Trace Context, level 1: a version above ours may say more, `ff` and ids of zeros are none. */
export function readTraceParent(text: string): TraceParent | null {
  const [, version, traceId = '', spanId = '', flags = ''] = TRACE_PARENT.exec(text) ?? [];
  if (version === undefined || version === 'ff' || NOTHING.test(traceId) || NOTHING.test(spanId)) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}
