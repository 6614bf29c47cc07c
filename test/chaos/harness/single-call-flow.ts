import type { ApiClient } from '@weft/testing';

/** A flow of one call to this address. */
export async function singleCallFlow(client: ApiClient, url: string): Promise<string> {
  const { id } = await client.createFlow({ name: url });
  await client.addLayer(id, { ref: 'call', appId: 'web-request', args: { url } });
  return id;
}
