import type { TriggerDocument } from '@weft/records';
import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { MOST_IN_BATCH, type Source, type SourceBatch, type SourceKind } from './source.js';

/** A place with one or two shards, of which nothing was read yet. */
export interface SourcePlace {
  readonly kind: SourceKind;
  readonly source: TriggerDocument['source'];
  readonly company_id?: string;
  readonly shards: readonly [string, string?];
  /** Messages in a batch of it, where it gives less at once than others. */
  readonly mostInBatch?: number;
  put(values: readonly unknown[], shard: 0 | 1): Promise<void>;
}

const NEVER = new AbortController().signal;

/** What the reader relies on, whatever is read. */
export function proveSource(name: string, newPlace: () => Promise<SourcePlace>): void {
  const open = (place: SourcePlace, start: string, cursors: ReadonlyMap<string, string> = new Map()) => {
    const source = { ...place.source, start };
    const trigger = { _id: 'trigger', company_id: place.company_id ?? 'c', source } as unknown as TriggerDocument;
    return place.kind.open({ trigger, cursors, signal: NEVER });
  };
  /** Reads until that many messages were given. */
  async function take(source: Source, count: number): Promise<SourceBatch[]> {
    const batches: SourceBatch[] = [];
    for (let left = count; left > 0;) {
      const batch = await source.next(NEVER);
      if (!batch) continue;
      batches.push(batch);
      left -= batch.messages.length;
      await source.accepted(batch);
    }
    return batches;
  }
  const valuesOf = (place: SourcePlace, batches: readonly SourceBatch[], shard: 0 | 1) =>
    batches
      .filter((batch) => batch.shard === place.shards[shard])
      .flatMap(({ messages }) => messages.map((message) => (place.kind.read(message) as { value?: unknown }).value));
  const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => ({ n: from + i }));

  describe(`a source: ${name}`, () => {
    it('says where each shard begins, gives what is there in its order, and no more than a batch has room for', async () => {
      const place = await newPlace();
      const { mostInBatch = MOST_IN_BATCH } = place;
      const all = numbers(0, mostInBatch + 100);
      await place.put(all, 0);
      const other = place.shards.length === 1 ? [] : numbers(0, 3);
      if (other.length > 0) await place.put(other, 1);
      const source = await open(place, 'earliest');
      expect([...source.begins.keys()].sort()).toEqual([...place.shards].sort());
      const batches = await take(source, all.length + other.length);
      expect(valuesOf(place, batches, 0)).toEqual(all);
      if (other.length > 0) expect(valuesOf(place, batches, 1)).toEqual(other);
      expect(Math.max(...batches.map(({ messages }) => messages.length))).toBeLessThanOrEqual(mostInBatch);
      expect(source.lag()).toBe(0);
      await source.close();
    });

    it('leaves out what was there before, unless it is asked for it', async () => {
      const place = await newPlace();
      await place.put(numbers(0, 5), 0);
      const source = await open(place, 'latest');
      await place.put(numbers(5, 7), 0);
      expect(valuesOf(place, await take(source, 2), 0)).toEqual(numbers(5, 7));
      await source.close();
    });

    it('goes on after any message, with the same ids as before', async () => {
      const place = await newPlace();
      await place.put(numbers(0, 20), 0);
      const first = await open(place, 'earliest');
      const cursors = first.begins;
      const [batch] = (await take(first, 20)).filter(({ messages }) => messages.length > 7);
      await first.close();
      const seventh = batch?.messages[6];
      const again = await open(place, 'latest', new Map([...cursors, [place.shards[0], seventh?.next ?? '']]));
      const rest = (await take(again, 13)).flatMap(({ messages }) => messages);
      expect(valuesOf(place, [{ shard: place.shards[0], messages: rest, next: '' }], 0)).toEqual(numbers(7, 20));
      expect(rest.slice(0, (batch?.messages.length ?? 0) - 7).map(({ id }) => id)).toEqual(
        batch?.messages.slice(7).map(({ id }) => id),
      );
      await again.close();
    });

    it('says after a while that there is nothing, and ends its wait when it is to stop', async () => {
      const place = await newPlace();
      const source = await open(place, 'latest');
      const stop = new AbortController();
      expect(await source.next(stop.signal)).toBeNull();
      // the signal lives as long as the trigger is read, for months
      expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
      const waiting = source.next(stop.signal).catch(() => null);
      stop.abort();
      expect(await waiting).toBeNull();
      await source.close();
    });
  });
}
