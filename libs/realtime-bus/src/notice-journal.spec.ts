import { acceptPlay, applyWrite, numberEvents, type LayerResult, type Play, type PlayWrite } from '@weft/engine';
import { describe, expect, it } from 'vitest';
import { afterWrite, noticeJournal, parseNoticeJournal, noticeJournalText } from './notice-journal.js';

const at = new Date('2026-11-21T09:00:00.123Z');
const order = { companyId: 'c', flowId: 'f', version: 1, args: {}, idempotencyKey: null, dueAt: null } as const;
const PLAY = acceptPlay({ ...order, playId: 'p', trigger: 'api', triggeredBy: 'u', serverNow: at });

function result(position: number, out: unknown): LayerResult {
  const outBytes = JSON.stringify(out).length;
  const times = { startedAt: at, completedAt: new Date(at.getTime() + 7) };
  return { position, ref: `l${position}`, name: 'L', state: 'DONE', ...times, out, outBytes, attempts: 1, by: 'w:1' };
}

function writeOf(play: Play, layers: readonly LayerResult[], entries = layers.length): PlayWrite {
  const events = Array.from({ length: entries }, (_, i) => {
    return { type: 'complete', layer: play.layers.length + i, state: 'DONE', at } as const;
  });
  const log = numberEvents(play.seq, events);
  const set = { state: 'RUN', seq: play.seq + log.length } as const;
  return { match: { epoch: 1, states: ['NEW', 'RUN'] }, set, unset: [], touch: [], layers, log };
}

describe('what travels with a notice', () => {
  it('is, after each write, the journal that is stored', () => {
    let play = PLAY;
    let journal = noticeJournal(play);
    for (const out of [{ a: [1, { b: 'ü' }] }, null, 'text']) {
      const write = writeOf(play, [result(play.layers.length, out)]);
      play = applyWrite(play, write, at) as Play;
      journal = afterWrite(journal, write);
      expect(journal).toEqual(noticeJournal(play));
      const { flowId, triggeredBy, state, log, layers } = play;
      expect(journal).toMatchObject({ flowId, triggeredBy, state, log, layers });
      const text = journal && noticeJournalText(journal);
      expect(parseNoticeJournal(text ?? '')).toEqual(journal);
    }
  });

  it('has the time of the end when the write that ended the play gave it, and else none', () => {
    const endedAt = new Date(at.getTime() + 3);
    const write = writeOf(PLAY, [result(0, null)]);
    const journal = afterWrite(noticeJournal(PLAY), write, endedAt);
    expect(journal?.endedAt).toEqual(endedAt);
    expect(parseNoticeJournal((journal && noticeJournalText(journal)) ?? '')).toEqual(journal);
    expect(afterWrite(noticeJournal(PLAY), write)).not.toHaveProperty('endedAt');
  });

  it('has the fields of the row that only a write changes, as they are after it', () => {
    const dueAt = new Date(at.getTime() + 60_000);
    const error = { code: 'internal', message: 'no', ref: null };
    const before = acceptPlay({
      ...order,
      ...{ playId: 'p', trigger: 'api', triggeredBy: 'u', serverNow: at, dueAt, idempotencyKey: 'k' },
    });
    const plain = writeOf(before, []);
    const run = { ...plain, match: { ...plain.match, states: ['DEFERRED' as const] }, unset: ['dueAt' as const] };
    const fail = { ...plain, set: { ...plain.set, error } };
    let play = before;
    let journal = noticeJournal(before);
    for (const write of [run, fail]) {
      play = applyWrite(play, write, at) as Play;
      journal = afterWrite(journal, write);
      expect(journal).toEqual(noticeJournal(play));
    }
    const pause = { position: 0, ref: 'a', kind: 'retry', since: at, until: dueAt } as const;
    const changes: readonly Partial<PlayWrite>[] = [
      { set: { waits: { 0: pause } } },
      {},
      { unset: ['waits'] },
      { set: { waits: {} } },
    ];
    for (const change of changes) {
      const next = writeOf(play, []);
      const write: PlayWrite = { ...next, ...change, set: { ...next.set, ...change.set } };
      play = applyWrite(play, write, at) as Play;
      journal = afterWrite(journal, write);
      expect(journal).toEqual(noticeJournal(play));
      expect(journal?.row.awaitsRetry).toBe(play.waits?.[0] && true);
    }
    expect(journal?.row).toMatchObject({ idempotencyKey: 'k', error });
    expect(journal?.row).not.toHaveProperty('dueAt');
    expect(parseNoticeJournal(JSON.stringify(noticeJournal(before)))).toEqual(noticeJournal(before));
  });

  it.each([
    ['outputs of more than 4 KB', writeOf(PLAY, [result(0, 'x'.repeat(2_100)), result(1, 'x'.repeat(2_100))])],
    ['more than 32 entries', writeOf(PLAY, [], 32)],
  ])('is nothing of a play with %s, from then on', (_what, write) => {
    expect(afterWrite(noticeJournal(PLAY), write)).toBeNull();
    expect(noticeJournal(applyWrite(PLAY, write, at) as Play)).toBeNull();
    expect(afterWrite(null, writeOf(PLAY, [result(0, 1)]))).toBeNull();
  });

  it('may have outputs that lie elsewhere, however large they are', () => {
    const large = { ...result(0, 'x'), outBytes: 900_000, outRef: { $ref: 'a', bytes: 900_000 } };
    const { out: _out, ...stored } = large;
    expect(afterWrite(noticeJournal(PLAY), writeOf(PLAY, [stored as LayerResult]))?.layers).toHaveLength(1);
  });

  it('has at most 8 KB of text', () => {
    const message = 'x'.repeat(9_000);
    const error = { type: 'error', layer: 0, ref: 'l0', message, retries: 0, at } as const;
    const journal = afterWrite(noticeJournal(PLAY), { ...writeOf(PLAY, []), log: numberEvents(PLAY.seq, [error]) });
    expect(journal && noticeJournalText(journal)).toBeNull();
  });

  it('is nothing where the worker is of a version whose rows have other fields', () => {
    const journal = noticeJournal(PLAY);
    const { form: _form, row: _row, ...older } = journal ?? {};
    expect(parseNoticeJournal(JSON.stringify(older))).toBeNull();
    expect(parseNoticeJournal(JSON.stringify({ ...journal, form: 2 }))).toBeNull();
  });

  it.each(['', '1', '[]', '{"log":[null],"layers":[]}'])(
    'is nothing where another version writes it otherwise: %j',
    (text) => {
      expect(parseNoticeJournal(text)).toBeNull();
    },
  );
});
