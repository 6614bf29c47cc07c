import type { FlowView } from '@weft/contracts';
import type { ApiClient } from '@weft/testing';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

const BODY = 'x'.repeat(1_000);

/** A server that announces the length of its answer and sends it in two parts: the second when the test says so. */
export async function drippingServer() {
  const answers: ServerResponse[] = [];
  const server = createServer((_request, response) => {
    response.setHeader('content-length', BODY.length).write(BODY.slice(0, 400));
    answers.push(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, sendTheRest: () => answers.forEach((one) => one.end(BODY.slice(400))) };
}

/** A flow whose plays make every event: in parallel a slow response and a loop, then a failure, a delay, two uses of the key-value store and a filtered layer. */
export async function tellingFlow(client: ApiClient, drip: string, ledger: string): Promise<FlowView> {
  const flow = await client.createFlow({ name: 'Tells everything' });
  const layer = (ref: string, appId: string, args: Readonly<Record<string, unknown>>, more: object = {}) =>
    client.addLayer(flow.id, { ref, name: `The ${ref}`, appId, args, ...more });
  await layer('bytes', 'web-request', { url: drip }, { stage: 'both' });
  const forEach = { in: '{{ $prev.args.items }}', concurrency: 1 };
  await layer('items', 'web-request', { url: `${ledger}/items/{{ $item }}` }, { stage: 'both', forEach });
  const retry = { attempts: 2, backoff: 'fixed', delayMs: 10, maxDelayMs: 10 };
  await layer('fails', 'web-request', { url: `${ledger}/fails` }, { retry, onError: 'continue' });
  await layer('time', 'delay', { ms: 1_100 });
  await layer('keep', 'kv', { op: 'set', key: 'told', value: 1 });
  await layer('read', 'kv', { op: 'get', key: 'told' });
  await layer('never', 'text-template', { template: 'x' }, { when: '{{ $prev.args.no }}' });
  return flow;
}
