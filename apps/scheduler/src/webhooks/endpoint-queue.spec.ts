import { EgressError, type EgressRequest, type EgressResponse } from '@weft/egress';
import type { AttemptResult, DueDelivery, WebhookDocument } from '@weft/records';
import { waitFor } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { EndpointQueue, type EndpointQueueDependencies } from './endpoint-queue.js';
import { CompanySlots } from './send-limits.js';

const ORDERED = {
  ...{ _id: 'w', company_id: 'c', url: 'https://receiver.example/', ordered: true, schedule: null },
  ...{ max_in_flight: 10, rate_per_second: null },
} as unknown as WebhookDocument;

/** Deliveries in memory, in their order, and what the receiver has seen. */
class World {
  readonly sent: string[] = [];
  readonly pending: DueDelivery[];
  readonly faults: unknown[] = [];
  readonly results: AttemptResult[] = [];
  status = 204;
  storeFaults = 0;
  reads = 0;
  whileReading = (): void => undefined;
  maySend = true;
  /** Called while a request waits for its connection. */
  whileConnecting = (): void => undefined;

  constructor(ids: readonly string[]) {
    this.pending = ids.map((_id) => ({ _id, body: '{}', tries: 0, next_attempt: new Date(0) }));
  }

  queue(webhook = ORDERED): EndpointQueue {
    const read = (): Promise<DueDelivery[]> => {
      this.reads += 1;
      const found = [...this.pending];
      this.whileReading();
      return Promise.resolve(found);
    };
    const due = async (_scope: unknown, _id: unknown, _now: Date, busy: readonly string[]): Promise<DueDelivery[]> =>
      (await read()).filter(({ _id }) => !busy.includes(_id));
    const store = (result: AttemptResult): Promise<void> => {
      const { id, state } = result;
      if ((this.storeFaults -= 1) >= 0) return Promise.reject(new Error('away'));
      this.results.push(result);
      const at = this.pending.findIndex(({ _id }) => _id === id);
      if (state !== 'pending') this.pending.splice(at, 1);
      else this.pending.splice(at, 1, { ...(this.pending[at] as DueDelivery), next_attempt: result.next_attempt });
      return Promise.resolve();
    };
    const request = ({ headers, mayBeSent }: EgressRequest): Promise<EgressResponse> => {
      this.whileConnecting();
      if (mayBeSent?.() === false) return Promise.reject(new EgressError('cancelled', 'it may not be sent'));
      this.sent.push(String((headers as Record<string, string>)['webhook-id']));
      return Promise.resolve({
        statusCode: this.status,
        headers: {},
        body: Buffer.alloc(0),
      } as unknown as EgressResponse);
    };
    return new EndpointQueue(webhook, {
      ...{ egress: { request }, serverNow: () => Date.now(), wallNow: () => Date.now() },
      ...{ deliveries: { due, inOrder: read }, results: { store } },
      ...{ slots: new CompanySlots(10), maySend: () => this.maySend, onAttempt: () => undefined },
      signerOf: () => ({ sign: () => 'v1,spec' }),
      onFault: (error: unknown) => this.faults.push(error),
    } as unknown as EndpointQueueDependencies);
  }
}

describe('an ordered endpoint', () => {
  it.concurrent(
    'gets nothing after a delivery whose result could not be stored before that one is read again',
    async () => {
      const world = new World(['a', 'b', 'c']);
      world.storeFaults = 1;
      const queue = world.queue();
      queue.update(ORDERED);
      await waitFor(() => world.pending.length === 0, { what: 'all deliveries' });
      expect(world.sent).toEqual(['a', 'a', 'b', 'c']);
      expect(world.faults).toHaveLength(1);
      queue.stop();
    },
  );

  it.concurrent('is not sent to without end while no result can be stored', async () => {
    const world = new World(['a', 'b']);
    world.storeFaults = Number.POSITIVE_INFINITY;
    const queue = world.queue();
    for (let i = 0; i < 50; i += 1) queue.update(ORDERED);
    await waitFor(() => world.sent.length === 2, { what: 'a second attempt, after a pause' });
    for (let i = 0; i < 50; i += 1) queue.update(ORDERED);
    await waitFor(() => world.faults.length === 2, { what: 'its result' });
    expect(world.sent).toEqual(['a', 'a']);
    queue.stop();
  });

  it('gets nothing before it is due, also when it was read together with what is due', async () => {
    const world = new World(['a', 'b', 'c']);
    const later = new Date(Date.now() + 3_600_000);
    world.pending.splice(1, 1, { _id: 'b', body: '{}', tries: 1, next_attempt: later });
    const queue = world.queue();
    queue.update(ORDERED);
    await waitFor(() => world.pending.length === 2 && world.reads === 2, { what: 'a look after the first delivery' });
    await new Promise(setImmediate);
    expect(world.sent).toEqual(['a']);
    queue.stop();
  });

  it('gets nothing that was read before it became ordered', async () => {
    const world = new World(['a', 'b']);
    const unordered = { ...ORDERED, ordered: false };
    const queue = world.queue(unordered);
    world.whileReading = () => queue.update(ORDERED);
    queue.update(unordered);
    await waitFor(() => world.reads === 1, { what: 'the read' });
    await new Promise(setImmediate);
    expect(world.sent).toEqual([]);
    queue.stop();
  });
});

describe('an attempt that was made earlier than its schedule says', () => {
  const planned = new Date(Date.now() + 3_600_000);

  it('leaves the delivery where it was in its schedule when it is refused', async () => {
    const world = new World([]);
    world.status = 500;
    world.pending.push({ _id: 'a', body: '{}', tries: 9, next_attempt: new Date(0), planned_attempt: planned });
    const queue = world.queue();
    queue.update(ORDERED);
    await waitFor(() => world.results.length > 0, { what: 'its result' });
    queue.stop();
    expect(world.results[0]).toMatchObject({ id: 'a', state: 'pending', next_attempt: planned, isEarly: true });
  });

  it('is followed by the one that its schedule says, which counts', async () => {
    const world = new World([]);
    world.status = 500;
    world.pending.push({ _id: 'a', body: '{}', tries: 9, next_attempt: new Date(1), planned_attempt: new Date(1) });
    const queue = world.queue();
    queue.update(ORDERED);
    await waitFor(() => world.results.length > 0, { what: 'its result' });
    queue.stop();
    expect(world.results).toMatchObject([{ id: 'a', state: 'failed', next_attempt: null }]);
  });
});

describe('an endpoint whose company another process has taken over while a connection was made', () => {
  it.each([true, false])('is not sent to, and no attempt is counted (ordered: %s)', async (ordered) => {
    const world = new World(['a']);
    const webhook = { ...ORDERED, ordered };
    const queue = world.queue(webhook);
    world.whileConnecting = () => (world.maySend = false);
    queue.update(webhook);
    await waitFor(() => !world.maySend && queue.inFlight === 0, { what: 'the attempt that is not made' });
    await new Promise(setImmediate);
    expect([world.sent, world.results, queue.takeNews().failures]).toEqual([[], [], 0]);
    // the lease comes back: it is sent
    world.whileConnecting = () => undefined;
    world.maySend = true;
    queue.update(webhook);
    await waitFor(() => world.results.length === 1, { what: 'its delivery' });
    expect(world.sent).toEqual(['a']);
    queue.stop();
  });
});
