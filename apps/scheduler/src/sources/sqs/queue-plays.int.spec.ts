import { READ_MESSAGE } from '@weft/runs';
import { waitFor } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { dying, killAtEach } from '../../../../../test/fixtures/dying-mongo.js';
import { sourceFixture } from '../source-reader.fixture.js';
import type { SourceKind } from '../source.js';
import { QueueSource, SHARD, type CallQueue } from './queue-source.js';

const fixture = await sourceFixture();
const { trigger, reader, stored, playsOf } = fixture;

/** A queue without an order: each time that it is opened it gives its messages from another one on, two at a time. */
class MemoryQueue implements SourceKind {
  readonly isUnordered = true;
  readonly read = READ_MESSAGE.sqs;
  private readonly messages = new Map<string, { readonly body: string; isHidden: boolean }>();
  private opened = 0;
  extended = 0;

  put(values: readonly unknown[]): void {
    for (const value of values)
      this.messages.set(`m${this.messages.size}`, { body: JSON.stringify(value), isHidden: false });
  }

  get length(): number {
    return this.messages.size;
  }

  open({ cursors }: Parameters<SourceKind['open']>[0]) {
    this.opened += 1;
    return Promise.resolve(new QueueSource(this.call, cursors.get(SHARD), () => undefined));
  }

  private readonly call: CallQueue = async (action, body) => {
    const entries = (body.Entries ?? []) as readonly {
      readonly ReceiptHandle: string;
      readonly VisibilityTimeout?: number;
    }[];
    for (const { ReceiptHandle: id, VisibilityTimeout: seconds } of entries) {
      const message = this.messages.get(id);
      if (action === 'DeleteMessageBatch') this.messages.delete(id);
      else if (message) message.isHidden = seconds !== 0;
    }
    if (action !== 'ReceiveMessage') return {};
    const visible = [...this.messages].filter(([, { isHidden }]) => !isHidden);
    const from = visible.length === 0 ? 0 : (this.opened * 3) % visible.length;
    const given = [...visible.slice(from), ...visible.slice(0, from)].slice(0, 2);
    for (const [, message] of given) message.isHidden = true;
    if (given.length === 0) await new Promise((resolve) => setImmediate(resolve));
    return { Messages: given.map(([id, { body: Body }]) => ({ MessageId: id, ReceiptHandle: id, Body })) };
  };
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => ({ n }));

describe('the plays of a queue', () => {
  it('are one of each message, whichever call of the processes before was their last, in whichever order it gives them again, also where plays have failed', async () => {
    const kills = await killAtEach(async (kill) => {
      const queue = new MemoryQueue();
      const one = await trigger({ type: 'sqs' });
      queue.put(numbers(7));
      const { mongo, isDead } = dying(fixture.mongo, kill);
      const stop = new AbortController();
      const first = reader(one, queue, { of: mongo }).run(stop.signal);
      await waitFor(() => isDead() || queue.length === 0, { what: 'the process to die, or to be done' });
      stop.abort();
      await first;
      await fixture.fail((await playsOf(one)).map(({ _id }) => _id));
      const again = new AbortController();
      const second = reader(one, queue).run(again.signal);
      await waitFor(() => queue.length === 0, { what: 'the queue to be empty' });
      again.abort();
      await second;
      expect((await playsOf(one)).map(({ args }) => args.n).toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6]);
      const { older, pending } = (await stored(one._id)).reading?.shards?.[SHARD] ?? {};
      expect({ older, pending }).toEqual({});
      return isDead();
    });
    expect(kills).toBeGreaterThan(5);
  });
});
