import type { FlowView } from '@weft/contracts';
import type { ApiClient } from '@weft/testing';

/** What the ledger must answer for it: `{ n }`. */
export const GREETING = 'Play {{ $prev.args.n }} was answered {{ .fetch.json.n }}.';

/** The story's flow: a web request that reads the run's args, and a template that reads its answer. */
export async function twoLayerFlow(client: ApiClient, ledgerUrl: string, name = 'Ask and tell'): Promise<FlowView> {
  const flow = await client.createFlow({ name });
  await client.addLayer(flow.id, {
    ref: 'fetch',
    appId: 'web-request',
    args: { method: 'POST', url: `${ledgerUrl}/ask`, body: { n: '{{ $prev.args.n }}' } },
  });
  await client.addLayer(flow.id, { ref: 'tell', appId: 'text-template', args: { template: GREETING } });
  return flow;
}
