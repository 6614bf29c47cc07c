import type { JournalRead, StoredJournal, UnreadJournal } from '@weft/store';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { turn } from '../../../test/fixtures/feed-fixture.js';
import { JournalReader } from './journal-reader.js';

/** A feed with due plays, and reads that the test answers. */
function fixture() {
  const due: JournalRead[] = [];
  const delivered: string[] = [];
  const asked: {
    readonly plays: number;
    readonly answer: (unread?: readonly UnreadJournal[]) => void;
    readonly fail: () => void;
  }[] = [];
  const clock = { ms: 1_000 };
  const consumer = {
    get due() {
      return due.length;
    },
    take: (limit: number) => due.splice(0, limit),
    deliver: ({ playId }: JournalRead) => {
      delivered.push(playId);
      if (playId === 'bad') throw new Error('cannot be told');
    },
    requeue: (reads: readonly JournalRead[]) => void due.push(...reads),
  };
  const journals = {
    readJournals: (reads: readonly JournalRead[]) =>
      new Promise<readonly (StoredJournal | UnreadJournal)[]>((resolve, reject) => {
        asked.push({
          plays: reads.length,
          answer: (unread = []) => resolve(unread),
          fail: () => reject(new Error('away')),
        });
      }),
  };
  const reads = new JournalReader(journals, consumer, () => undefined, {
    spacingMs: 10,
    monotonicMs: () => clock.ms,
  });
  const request = async (...playIds: readonly string[]) => {
    due.push(...playIds.map((playId) => ({ playId, companyId: 'c1', layersFrom: 0 })));
    reads.wake();
    await turn();
  };
  return { asked, clock, due, delivered, request, sizes: () => asked.map(({ plays }) => plays) };
}

const ids = (count: number) => Array.from({ length: count }, (_, i) => `p${i}`);

afterEach(() => void vi.useRealTimers());

describe('the reads of journals', () => {
  it('rest a moment after each other, so that plays share them, and begin at once after a pause', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const { asked, clock, request, sizes } = fixture();
    await request('a');
    clock.ms += 4;
    asked[0]?.answer();
    await turn();
    for (const playId of ['b', 'c']) await request(playId);
    vi.advanceTimersByTime(5);
    expect(sizes()).toEqual([1]);
    vi.advanceTimersByTime(1);
    expect(sizes()).toEqual([1, 2]);
    asked[1]?.answer();
    clock.ms += 10;
    await turn();
    await request('d');
    expect(sizes()).toEqual([1, 2, 1]);
  });

  it('gather what becomes due while one is under way into the next', async () => {
    const { asked, clock, request, sizes } = fixture();
    await request('a');
    for (const playId of ['b', 'c', 'd']) await request(playId);
    expect(sizes()).toEqual([1]);
    clock.ms += 10;
    asked[0]?.answer();
    await turn();
    await turn();
    expect(sizes()).toEqual([1, 3]);
  });

  it('wait neither for a slow one nor when there is enough for another, up to four at once', async () => {
    const { clock, request, sizes } = fixture();
    await request('a');
    await request('b');
    clock.ms += 20;
    await request('c');
    expect(sizes()).toEqual([1, 2]);
    await request(...ids(100));
    expect(sizes()).toEqual([1, 2, 32, 32]);
  });

  it('give back what could not be read or was not delivered', async () => {
    const { asked, clock, due, delivered, request } = fixture();
    await request('a', 'b');
    asked[0]?.fail();
    await turn();
    expect(due.map(({ playId }) => playId)).toEqual(['a', 'b']);
    due.length = 0;
    clock.ms += 10;
    await request('a', 'bad', 'c');
    asked[1]?.answer();
    await turn();
    expect([delivered, due.map(({ playId }) => playId)]).toEqual([['a', 'bad'], ['c']]);
  });

  it('ask again at once for journals that an answer had no room for, and take none of them for deleted', async () => {
    const { asked, clock, delivered, request, sizes } = fixture();
    await request('a', 'b', 'c');
    asked[0]?.answer([
      { _id: 'b', isUnread: true },
      { _id: 'c', isUnread: true },
    ]);
    clock.ms += 10;
    await turn();
    await turn();
    expect([delivered, sizes()]).toEqual([['a'], [3, 2]]);
  });
});
