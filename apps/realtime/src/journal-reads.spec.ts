import type { JournalRead, StoredJournal } from '@weft/persistence';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { turn } from '../../../test/rigs/feed-rig.js';
import { JournalReads } from './journal-reads.js';

/** A feed with a number of plays due, and reads that the test answers. */
function rig() {
  const due: JournalRead[] = [];
  const delivered: string[] = [];
  const asked: { readonly plays: number; readonly answer: () => void; readonly fail: () => void }[] = [];
  const clock = { ms: 1_000 };
  const wants = {
    get due() {
      return due.length;
    },
    take: (limit: number) => due.splice(0, limit),
    deliver: ({ playId }: JournalRead) => {
      delivered.push(playId);
      if (playId === 'bad') throw new Error('cannot be told');
    },
    giveBack: (reads: readonly JournalRead[]) => void due.push(...reads),
  };
  const journals = {
    readJournals: (reads: readonly JournalRead[]) =>
      new Promise<readonly StoredJournal[]>((resolve, reject) => {
        asked.push({ plays: reads.length, answer: () => resolve([]), fail: () => reject(new Error('away')) });
      }),
  };
  const figures = { journalsRead: () => undefined };
  const reads = new JournalReads(journals, wants, figures, () => undefined, {
    spacingMs: 10,
    monotonicMs: () => clock.ms,
  });
  const want = async (...playIds: readonly string[]) => {
    due.push(...playIds.map((playId) => ({ playId, companyId: 'c1', layersFrom: 0 })));
    reads.wake();
    await turn();
  };
  return { asked, clock, due, delivered, want, sizes: () => asked.map(({ plays }) => plays) };
}

const ids = (count: number) => Array.from({ length: count }, (_, i) => `p${i}`);

afterEach(() => void vi.useRealTimers());

describe('the reads of journals', () => {
  it('rest a moment after each other, so that plays share them, and begin at once after a pause', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const { asked, clock, want, sizes } = rig();
    await want('a');
    clock.ms += 4;
    asked[0]?.answer();
    await turn();
    for (const playId of ['b', 'c']) await want(playId);
    vi.advanceTimersByTime(5);
    expect(sizes()).toEqual([1]);
    vi.advanceTimersByTime(1);
    expect(sizes()).toEqual([1, 2]);
    asked[1]?.answer();
    clock.ms += 10;
    await turn();
    await want('d');
    expect(sizes()).toEqual([1, 2, 1]);
  });

  it('gather what becomes due while one is under way into the next', async () => {
    const { asked, clock, want, sizes } = rig();
    await want('a');
    for (const playId of ['b', 'c', 'd']) await want(playId);
    expect(sizes()).toEqual([1]);
    clock.ms += 10;
    asked[0]?.answer();
    await turn();
    await turn();
    expect(sizes()).toEqual([1, 3]);
  });

  it('wait neither for a slow one nor when there is enough for another, up to four at once', async () => {
    const { clock, want, sizes } = rig();
    await want('a');
    await want('b');
    clock.ms += 20;
    await want('c');
    expect(sizes()).toEqual([1, 2]);
    await want(...ids(100));
    expect(sizes()).toEqual([1, 2, 32, 32]);
  });

  it('give back what could not be read or was not delivered', async () => {
    const { asked, clock, due, delivered, want } = rig();
    await want('a', 'b');
    asked[0]?.fail();
    await turn();
    expect(due.map(({ playId }) => playId)).toEqual(['a', 'b']);
    due.length = 0;
    clock.ms += 10;
    await want('a', 'bad', 'c');
    asked[1]?.answer();
    await turn();
    expect([delivered, due.map(({ playId }) => playId)]).toEqual([['a', 'bad'], ['c']]);
  });
});
