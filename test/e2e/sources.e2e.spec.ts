import { waitFor } from '@weft/testing';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { sharedFleet } from './harness/fleet.js';

const { admin } = await sharedFleet();

/** What a shop says of its orders, as a list and as a feed. */
const orders = [1, 2];
const shop = createServer((request, response) => {
  const items = orders.map((id) => `<item><guid>${id}</guid><title>Order ${id}</title></item>`).toReversed();
  if (request.url === '/feed') return response.end(`<rss><channel>${items.join('')}</channel></rss>`);
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ orders: orders.map((id) => ({ id })) }));
});
shop.listen(0, '127.0.0.1');
await once(shop, 'listening');
const url = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
afterAll(() => void shop.close());

interface TriggerState {
  readonly id: string;
  readonly reading: { readonly state: string } | null;
}

async function reads(type: string, source: object): Promise<string> {
  const { id: flowId } = await admin.createFlow();
  const body = { name: 'orders', type, source, args: { key: '{{ $message.key }}' } };
  const { id } = await admin.must<TriggerState>(201, 'POST', `/api/v1/flows/${flowId}/triggers`, body);
  const isRead = async () => {
    const path = `/api/v1/flows/${flowId}/triggers/${id}`;
    return (await admin.must<TriggerState>(200, 'GET', path)).reading?.state === 'reading';
  };
  await waitFor(isRead, { what: `a trigger of the type ${type} to read`, withinMs: 60_000 });
  return flowId;
}

interface PlayItem {
  readonly id: string;
}

async function keysOf(flowId: string): Promise<unknown[]> {
  const { items } = await admin.must<{ items: PlayItem[] }>(200, 'GET', `/api/v1/plays?flowId=${flowId}`);
  const plays = await Promise.all(
    items.map(({ id }) => admin.must<{ args: { key: unknown } }>(200, 'GET', `/api/v1/plays/${id}`)),
  );
  return plays.map(({ args }) => args.key).toSorted();
}

describe('a flow that reads', () => {
  it('a list and a feed has a play of each item that is new, made by the scheduler', async () => {
    const request = { appId: 'web-request', args: { url } };
    const list = { request, items: '{{ .out.json.orders }}', id: '{{ $item.id }}', everySeconds: 10 };
    const [polled, fed, all] = await Promise.all([
      reads('poll', list),
      reads('rss', { url: `${url}/feed`, everySeconds: 10 }),
      reads('poll', { ...list, start: 'earliest' }),
    ]);
    orders.push(3);
    const has = (flowId: string, count: number) => async () => (await keysOf(flowId)).length >= count;
    for (const [flowId, count] of [
      [polled, 1],
      [fed, 1],
      [all, 3],
    ] as const) {
      await waitFor(has(flowId, count), { what: 'the plays of what is new', withinMs: 60_000 });
    }
    expect([await keysOf(polled), await keysOf(fed), await keysOf(all)]).toEqual([['3'], ['3'], ['1', '2', '3']]);
  });
});
