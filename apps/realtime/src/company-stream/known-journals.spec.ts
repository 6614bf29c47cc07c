import { acceptPlay, numberEvents } from '@weft/engine';
import type { JournalRead } from '@weft/store';
import { noticeJournal, type NoticeJournal } from '@weft/realtime-bus';
import { describe, expect, it } from 'vitest';
import { KnownJournals, KnownRoom, missesEnd, readKnown, type KnownRead } from './known-journals.js';

const at = new Date('2026-11-21T09:00:00.123Z');
const run = { companyId: 'c', flowId: 'f', version: 1, args: {}, idempotencyKey: null, dueAt: null } as const;

function journalOf(playId: string, end?: { readonly endedAt: Date | null }): NoticeJournal {
  const play = acceptPlay({ ...run, playId, trigger: 'api', triggeredBy: null, serverNow: at });
  const log = end ? [...play.log, ...numberEvents(play.seq, [{ type: 'end', state: 'DONE', at }])] : play.log;
  const journal = noticeJournal({ ...play, log });
  if (!journal) throw new Error('the journal is small');
  return end?.endedAt ? { ...journal, endedAt: end.endedAt } : journal;
}

describe('journals that are kept', () => {
  const one = { seq: 2, journal: journalOf('p') };
  const fill = (known: KnownJournals, count: number) => {
    for (let i = 0; i < count; i += 1) known.keep(`p${i}`, one);
  };
  const sizeOf = (known: KnownJournals, count: number) =>
    Array.from({ length: count }, (_, i) => known.take(`p${i}`)).filter(Boolean).length;

  it('are bounded for a company, and for all companies of a process', () => {
    const room = new KnownRoom();
    const companies = Array.from({ length: 20 }, () => new KnownJournals(room));
    for (const known of companies) fill(known, 100);
    const sizes = companies.map((known) => sizeOf(known, 100));
    expect(sizes[0]).toBe(64);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(1_000);
  });

  it('make room when they are taken, and when the company has no reader any more', () => {
    const room = new KnownRoom();
    const all = room.left;
    const known = new KnownJournals(room);
    fill(known, 10);
    expect(room.left).toBe(all - 10);
    expect([known.take('p0'), known.take('p0'), known.take('other')]).toEqual([one, null, null]);
    expect(room.left).toBe(all - 9);
    known.close();
    known.keep('p1', one);
    expect([room.left, known.take('p1')]).toEqual([all, null]);
  });

  it('are one of each play, which an earlier notice does not replace', () => {
    const room = new KnownRoom();
    const known = new KnownJournals(room);
    fill(known, 1);
    known.keep('p0', { ...one, seq: 1 });
    expect([known.hasAfter('p0', 1), known.hasAfter('p0', 2), known.hasAfter('p1', 0)]).toEqual([true, false, false]);
    expect(known.take('p0')).toEqual(one);
    expect(room.left).toBe(new KnownRoom().left);
  });

  it('go when their plays have more entries', () => {
    const known = new KnownJournals(new KnownRoom());
    fill(known, 3);
    known.dropBefore('p0', 2);
    known.dropBefore('p1', 3);
    known.dropBefore('other', 3);
    expect([known.take('p0'), known.take('p1'), known.take('p2')]).toEqual([one, null, one]);
  });
});

describe('what is read of plays whose journals are known', () => {
  const asked = { journals: [] as string[], ends: [] as string[] };
  const idsOf = (reads: readonly Pick<JournalRead, 'playId'>[]) => reads.map(({ playId }) => playId);
  const endedAt = new Date(at.getTime() + 5);
  const journals = {
    readJournals: (reads: readonly JournalRead[]) => {
      asked.journals.push(...idsOf(reads));
      return Promise.resolve([]);
    },
    readEnds: (reads: readonly Pick<JournalRead, 'playId'>[]) => {
      asked.ends.push(...idsOf(reads));
      return Promise.resolve(idsOf(reads).map((_id) => ({ _id, company_id: 'c', completedAt: endedAt })));
    },
  };

  it('is the time of the end', async () => {
    const known = (playId: string, journal: NoticeJournal): KnownRead => ({
      ...{ playId, companyId: 'c', layersFrom: 0 },
      known: { seq: journal.log.length, journal },
    });
    const reads = [
      known('endless', journalOf('endless', { endedAt: null })),
      { playId: 'unknown', companyId: 'c', layersFrom: 0, known: null },
    ];
    let count = 0;
    const found = await readKnown(journals, reads, (plays) => (count += plays));
    expect(asked).toEqual({ journals: ['unknown'], ends: ['endless'] });
    expect(count).toBe(2);
    expect(found).toMatchObject([{ _id: 'endless', completedAt: endedAt }]);
  });

  it.each([
    ['has not ended', undefined, false],
    ['has ended, and the notice said when', { endedAt }, false],
    ['has ended, and the notice did not say when', { endedAt: null }, true],
  ])('includes the time of the end only where it is missing: a play that %s', (_name, end, misses) => {
    expect(missesEnd(journalOf('p', end))).toBe(misses);
  });
});
