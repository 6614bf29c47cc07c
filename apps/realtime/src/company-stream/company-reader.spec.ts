import { DeficitRoundRobin, FairSemaphore } from '@weft/concurrency';
import type { Principal } from '@weft/access';
import type { Play } from '@weft/engine';
import { lastIdAt } from '@weft/kernel';
import { RESULTS_PER_READ, type JournalRead, type MovedPlay } from '@weft/store';
import { describe, expect, it } from 'vitest';
import { AT_ONCE, accepted, turn, write } from '../../../../test/fixtures/feed-fixture.js';
import { CompanyFeeds } from './company-feeds.js';
import { CompanyReader } from './company-reader.js';
import { readCursor } from './cursor.js';
import { ReadableFlows } from './readable-flows.js';

interface Told {
  readonly cursor: string;
  readonly playId: string;
  readonly seq: number;
}

const NOW = Date.UTC(2026, 10, 21, 9);
const caller = { userId: 'u1', companyId: 'c1' } as Principal;
let made = 0;
/** An id of the present time. */
const newId = () => lastIdAt(NOW).slice(0, -4) + (made += 1).toString().padStart(4, '0');

/** Plays in memory, a feed of their company, and readers with room for this many frames. */
async function fixture() {
  const plays = new Map<string, Play>();
  const away = { mongo: false };
  let reads = 0;
  const ask = <T>(value: T) => (away.mongo ? Promise.reject(new Error('away')) : Promise.resolve(value));
  const journals = {
    readJournals: (asked: readonly JournalRead[]) => {
      reads += asked.length;
      const found = asked.flatMap(({ playId, layersFrom }) => {
        const play = plays.get(playId);
        return play ? [{ ...play, layers: play.layers.slice(layersFrom, layersFrom + RESULTS_PER_READ) }] : [];
      });
      return ask(found);
    },
    readEnds: (asked: readonly Omit<JournalRead, 'layersFrom'>[]) => {
      reads += asked.length;
      return ask(asked.flatMap(({ playId }) => plays.get(playId) ?? []));
    },
  };
  const moved = (): MovedPlay[] => [...plays.values()].filter((play) => play.seq > 1);
  const moves = {
    serverNow: () => NOW,
    movedSince: () => ask(moved()),
    pageMovedSince: () => ask({ plays: moved(), next: null }),
  };
  let tell: (notices: readonly { playId: string; seq: number }[]) => void = () => undefined;
  const notices = {
    subscribe: (_companyId: string, listener: typeof tell) => ((tell = listener), () => undefined),
    onGap: () => () => undefined,
  };
  const faults: unknown[] = [];
  const figures = { journalsRead: () => undefined };
  const feeds = new CompanyFeeds(
    journals,
    moves,
    notices,
    figures,
    new DeficitRoundRobin(),
    (error) => faults.push(error),
    AT_ONCE,
  );
  const feed = await feeds.acquire('c1');
  const settle = async () => {
    for (let i = 0; i < 12; i += 1) await turn();
  };

  const join = (room = Infinity, cursor?: string) => {
    const frames: Told[] = [];
    const right = { may: true as boolean | Promise<boolean> };
    const sink = {
      taken: 0,
      isClosing: false,
      get isFull() {
        return frames.length - sink.taken >= room;
      },
      send: (text: Buffer) => frames.push(JSON.parse(text.toString()) as Told),
      close: () => undefined,
    };
    const flows = new ReadableFlows({ mayReadFlow: () => right.may }, () => 0);
    const reader = new CompanyReader(feed, sink, flows, {
      journals,
      moves,
      semaphore: new FairSemaphore(2),
      takesEvents: false,
      takesAcceptances: () => false,
      textOf: ({ kind, state, text }) => (state === null || kind === 'acceptance' ? null : text),
      caller: () => caller,
      seesPlay: () => true,
      onSent: () => undefined,
      onFault: (error) => faults.push(error),
    });
    feed.add(reader);
    const from = cursor === undefined ? null : readCursor(cursor);
    if (from) reader.startFrom(from);
    const take = async () => {
      sink.taken = frames.length;
      reader.resume();
      await settle();
    };
    const numbers = () => frames.map(({ playId, seq }) => `${playId.slice(-4)}:${seq}`);
    return { frames, sink, reader, right, flows, take, numbers };
  };

  /** Stores a write of this many layers, and announces it. */
  /** @param outBytes of each layer's output */
  const put = (playId: string, layers: number, end = false, told = true, outBytes = 20) => {
    const written = write(plays.get(playId) ?? accepted(playId), layers, end);
    const play = { ...written, layers: written.layers.map((layer) => ({ ...layer, outBytes })) };
    plays.set(playId, play);
    if (told) tell([{ playId, seq: play.seq }]);
  };
  return { plays, away, feeds, feed, faults, settle, join, put, reads: () => reads };
}

describe('the readers of a company', () => {
  it('share the reading of a play, and get its changes once and in order', async () => {
    const { settle, join, put, reads } = await fixture();
    const readers = [join(), join(), join()];
    const playId = newId();
    put(playId, 1);
    await settle();
    put(playId, 1, true);
    await settle();
    const id = playId.slice(-4);
    for (const { numbers } of readers) expect(numbers()).toEqual([1, 2, 3, 4, 5, 6].map((seq) => `${id}:${seq}`));
    expect(reads()).toBe(2);
  });

  it('get a play with more results than one read gives, whole', async () => {
    const { settle, join, put } = await fixture();
    const { frames } = join();
    put(newId(), 3 * RESULTS_PER_READ + 1, true);
    await settle();
    expect(frames.map(({ seq }) => seq)).toEqual(Array.from({ length: 2 + 2 * 49 }, (_, i) => i + 1));
  });

  it('get what notices have missed at the next look', async () => {
    const { feeds, settle, join, put } = await fixture();
    const { frames } = join();
    put(newId(), 1, true, false);
    await settle();
    expect(frames).toEqual([]);
    await feeds.poll();
    await settle();
    expect(frames.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  });

  it('get what came while MongoDB was away', async () => {
    const { away, feeds, faults, settle, join, put } = await fixture();
    const { frames } = join();
    away.mongo = true;
    put(newId(), 1, true);
    await settle();
    expect([frames.length, faults.length]).toEqual([0, 1]);
    away.mongo = false;
    await feeds.poll();
    await settle();
    expect(frames.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  });
});

describe('a reader who takes its time', () => {
  it('gets the rest when it has room, while others go on', async () => {
    const { settle, join, put } = await fixture();
    const [slow, quick] = [join(2), join()];
    put(newId(), 4, true);
    await settle();
    expect([slow.frames.length, quick.frames.length]).toEqual([2, 10]);
    for (let i = 0; i < 5; i += 1) await slow.take();
    expect(slow.numbers()).toEqual(quick.numbers());
  });

  it('is told from MongoDB what has left the ring, and nothing twice', async () => {
    const { feed, settle, join, put } = await fixture();
    const [slow, quick] = [join(40), join()];
    const ids = Array.from({ length: 15 }, newId);
    for (let round = 0; round < 10; round += 1) {
      for (const playId of ids) put(playId, 10);
      await settle();
    }
    expect([feed.ring.start > 0, slow.frames.length]).toEqual([true, 40]);
    for (let i = 0; slow.frames.length < quick.frames.length && i < 200; i += 1) await slow.take();
    await slow.take();
    const byPlay = (told: readonly Told[], playId: string) =>
      told.filter((one) => one.playId === playId).map(({ seq }) => seq);
    for (const playId of ids) expect(byPlay(slow.frames, playId)).toEqual(byPlay(quick.frames, playId));
    put(newId(), 1);
    await settle();
    await slow.take();
    expect(slow.frames.at(-1)?.playId).toBe(quick.frames.at(-1)?.playId);
  });
});

describe('what a gateway keeps', () => {
  it('is nothing once all readers have passed it', async () => {
    const { feed, settle, join, put } = await fixture();
    const quick = join();
    put(newId(), 10);
    await settle();
    expect([quick.frames.length, feed.ring.start]).toEqual([21, feed.ring.end]);
  });

  it('is no output of what nobody takes beyond the bytes of the ring', async () => {
    const { feed, settle, join, put } = await fixture();
    join(0);
    for (let i = 0; i < 40; i += 1) {
      put(newId(), 10, false, true, 12_000);
      await settle();
    }
    expect((feed.ring.end - feed.ring.start) / 2).toBeLessThanOrEqual((1024 * 1024) / 12_000);
  });
});

describe('a reader with a cursor', () => {
  it('who takes its time gets all that it missed, once, from reads made anew', async () => {
    const { settle, join, put, reads } = await fixture();
    const first = join();
    put(newId(), 1);
    await settle();
    const cursor = first.frames.at(-1)?.cursor;
    for (let i = 0; i < 40; i += 1) put(newId(), 3, true);
    await settle();
    const before = reads();
    const slow = join(25, cursor);
    await settle();
    expect([slow.frames.length, reads() - before]).toEqual([25, 16]);
    for (let i = 0; i < 60; i += 1) await slow.take();
    expect(slow.numbers()).toEqual(first.numbers().slice(3));
  });

  it('goes on behind any message, in the plays that it knew and in those that it did not', async () => {
    const { settle, join, put } = await fixture();
    const first = join();
    const [one, two] = [newId(), newId()];
    put(one, 2);
    put(two, 1);
    await settle();
    put(one, 1, true);
    await settle();
    for (const [i, { cursor }] of first.frames.entries()) {
      const again = join(Infinity, cursor);
      await settle();
      expect(again.numbers().sort()).toEqual(
        first
          .numbers()
          .slice(i + 1)
          .sort(),
      );
    }
    const last = join(Infinity, first.frames.at(-1)?.cursor);
    put(two, 0, true);
    await settle();
    expect(last.numbers()).toEqual([`${two.slice(-4)}:4`]);
  });

  it('is not told by the feed what it was told as missed', async () => {
    const { feeds, settle, join, put } = await fixture();
    const first = join();
    const playId = newId();
    put(playId, 1);
    await settle();
    put(playId, 1, true, false);
    const again = join(Infinity, first.frames.at(-1)?.cursor);
    await settle();
    expect([first.frames.length, again.frames.map(({ seq }) => seq)]).toEqual([3, [4, 5, 6]]);
    await feeds.poll();
    await settle();
    expect([first.frames.length, again.frames.length]).toEqual([6, 3]);
  });
});

describe('a right', () => {
  it('that MongoDB is asked for keeps the order, and decides for all that wait for it', async () => {
    const { settle, join, put } = await fixture();
    const { right, frames } = join();
    let answer: (may: boolean) => void = () => undefined;
    right.may = new Promise((resolve) => (answer = resolve));
    put(newId(), 1);
    put(newId(), 1);
    await settle();
    expect(frames).toEqual([]);
    answer(true);
    await settle();
    expect(frames.map(({ seq }) => seq)).toEqual([1, 2, 3, 1, 2, 3]);
  });

  it('that is lost hides the play, and holds nothing up', async () => {
    const { settle, join, put } = await fixture();
    const { right, flows, frames } = join();
    const playId = newId();
    put(playId, 1);
    await settle();
    right.may = false;
    flows.clear();
    put(playId, 1);
    await settle();
    expect(frames.length).toBe(3);
  });

  it('that nobody can tell holds everything back until somebody can', async () => {
    const { settle, join, put } = await fixture();
    const { reader, frames } = join();
    reader.suspend();
    put(newId(), 1);
    await settle();
    expect(frames).toEqual([]);
    reader.unsuspend();
    expect(frames.length).toBe(3);
  });
});
