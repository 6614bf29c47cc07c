import type { ApiClient, LedgerAnswer, LedgerCall, LedgerServer } from '@weft/testing';

/** Layers of the flow under fault, by position. */
export const FIRST = 0;
export const NOTE = 1;
export const SECOND = 2;

/**
 * Two effects with a computation between them. The ledger answers each call to `/first` with a unique receipt, and `/second` receives
 * the note with that receipt: this shows with which of several answers the play continued.
 *
 * @param second further fields of the second effect
 * @param both further fields of both
 */
export async function effectFlow(
  client: ApiClient,
  ledgerUrl: string,
  second: object = {},
  both: object = {},
): Promise<string> {
  const flow = await client.createFlow({ name: 'Two effects' });
  await client.addLayer(flow.id, {
    ref: 'first',
    appId: 'web-request',
    args: { method: 'POST', url: `${ledgerUrl}/first`, body: { n: '{{ $prev.args.n }}' } },
    ...both,
  });
  await client.addLayer(flow.id, {
    ref: 'note',
    appId: 'text-template',
    args: { template: '{{ $prev.args.n }} has receipt {{ .first.json.receipt }}' },
  });
  await client.addLayer(flow.id, {
    ref: 'second',
    appId: 'web-request',
    args: { method: 'POST', url: `${ledgerUrl}/second`, body: '{{ .note.text }}' },
    ...both,
    ...second,
  });
  return flow.id;
}

export interface Pace {
  /** No call is answered before this; default: each at once. */
  readonly after?: Promise<unknown>;
  /** Of the `call`-th call; default 0. */
  readonly delayMs?: (call: LedgerCall, nth: number) => number;
  /** Whether the `nth` call is answered with 503; default never. */
  readonly fails?: (call: LedgerCall, nth: number) => boolean;
  /** Further fields of its answer; default none. */
  readonly padding?: (call: LedgerCall) => string | undefined;
}

export function answerEffects(
  ledger: LedgerServer,
  { after, delayMs = () => 0, fails = () => false, padding = () => undefined }: Pace = {},
): void {
  let receipts = 0;
  ledger.answerWith(async (call): Promise<LedgerAnswer> => {
    receipts += 1;
    const [nth, status] = [receipts, fails(call, receipts) ? 503 : 200];
    await after;
    return { status, body: { receipt: `r${nth}`, padding: padding(call) }, delayMs: delayMs(call, nth) };
  });
}

/** Distributed evenly over 0 … `max` ms, deterministic for each number. */
export function spread(nth: number, max: number): number {
  return Math.round((((nth * 7_919) % 1_009) / 1_009) * max);
}
