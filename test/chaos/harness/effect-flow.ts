import type { ApiClient, LedgerAnswer, LedgerCall, LedgerServer } from '@weft/testing';

/** Layers of the flow under fault, by position. */
export const FIRST = 0;
export const NOTE = 1;
export const SECOND = 2;

/**
 * Two effects with a computation between them. The ledger gives each call to `/first` a receipt of its own, and `/second` is
 * sent the note with that receipt: so it shows which of several answers the play went on with.
 */
export async function effectFlow(client: ApiClient, ledgerUrl: string): Promise<string> {
  const flow = await client.createFlow({ name: 'Two effects' });
  await client.addLayer(flow.id, {
    ref: 'first',
    appId: 'web-request',
    args: { method: 'POST', url: `${ledgerUrl}/first`, body: { n: '{{ $prev.args.n }}' } },
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
  });
  return flow.id;
}

export interface Pace {
  /** Of the `call`-th call; default 0. */
  readonly delayMs?: (call: LedgerCall, nth: number) => number;
}

export function answerEffects(ledger: LedgerServer, { delayMs = () => 0 }: Pace = {}): void {
  let receipts = 0;
  ledger.answerWith((call): LedgerAnswer => {
    receipts += 1;
    return { body: { receipt: `r${receipts}` }, delayMs: delayMs(call, receipts) };
  });
}

/** Spread evenly over 0 … `max` ms, the same for the same number. */
export function spread(nth: number, max: number): number {
  return Math.round((((nth * 7_919) % 1_009) / 1_009) * max);
}
