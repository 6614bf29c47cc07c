import type { ApiClient } from '@weft/testing';

/** A flow of one call to this address. */
export async function singleCallFlow(client: ApiClient, url: string): Promise<string> {
  const { id } = await client.createFlow({ name: url });
  await client.addLayer(id, { ref: 'call', appId: 'web-request', args: { url } });
  return id;
}

/** Many runs of a flow in as few requests as fit; the ids of their plays. @param body the `i`-th run */
export async function runMany(
  client: ApiClient,
  flowId: string,
  count: number,
  body: (i: number) => object = () => ({}),
): Promise<string[]> {
  const playIds: string[] = [];
  for (let from = 0; from < count; from += BATCH) {
    const runs = Array.from({ length: Math.min(BATCH, count - from) }, (_, i) => body(from + i));
    const answer = await client.send<{ items: readonly { playId: string }[] }>(
      'POST',
      `/api/v1/flows/${flowId}/run-batch`,
      { runs },
    );
    if (answer.status !== 202) throw new Error(`A batch was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    playIds.push(...answer.body.items.map(({ playId }) => playId));
  }
  return playIds;
}

/** Runs of one request. */
const BATCH = 500;
