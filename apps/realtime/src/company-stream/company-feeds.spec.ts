import { DeficitRoundRobin, FairSemaphore } from '@weft/concurrency';
import type { Principal } from '@weft/access';
import type { Play } from '@weft/engine';
import { lastIdAt } from '@weft/kernel';
import { RESULTS_PER_READ, type JournalRead } from '@weft/store';
import { noticeJournal, type NoticesListener } from '@weft/realtime-bus';
import { describe, expect, it } from 'vitest';
import { accepted, AT_ONCE, turn, write } from '../../../../test/fixtures/feed-fixture.js';
import { CompanyFeeds } from './company-feeds.js';
import { CompanyReader } from './company-reader.js';
import { ReadableFlows } from './readable-flows.js';
import { DEFAULT_RING_BOUNDS } from './frame-ring.js';

const NOW = Date.UTC(2026, 10, 21, 9);
const OUT_BYTES = 12_000;
const ROUND_BYTES = 64 * 1_024;
const BIG = { layers: 10, readers: 30 };
let made = 0;

/** What a notice brings of its play. */
type Brings = boolean | 'with its end';

/** Feeds of companies over plays in memory. Records the reads, and how much each company was sent. */
function fixture() {
  const plays = new Map<string, Play>();
  const listeners = new Map<string, NoticesListener>();
  const reads: string[][] = [];
  const ends: string[] = [];
  const sentTo = { big: 0, small: 0 };
  const texts: string[] = [];
  let caughtUp = 0;
  let atNextRead = (): void => undefined;
  const journals = {
    readJournals: (asked: readonly JournalRead[]) => {
      reads.push(asked.map(({ companyId }) => companyId));
      const beside = atNextRead;
      atNextRead = () => undefined;
      beside();
      const found = asked.flatMap(({ playId, layersFrom }) => {
        const play = plays.get(playId);
        return play ? [{ ...play, layers: play.layers.slice(layersFrom, layersFrom + RESULTS_PER_READ) }] : [];
      });
      return Promise.resolve(found);
    },
    readEnds: (asked: readonly Omit<JournalRead, 'layersFrom'>[]) => {
      ends.push(...asked.map(({ playId }) => playId));
      return Promise.resolve(asked.flatMap(({ playId }) => plays.get(playId) ?? []));
    },
  };
  const moves = {
    serverNow: () => NOW,
    movedSince: () => Promise.resolve([]),
    pageMovedSince: () => Promise.resolve({ plays: [], next: ((caughtUp += 1), null) }),
  };
  const notices = {
    subscribe: (companyId: string, listener: NoticesListener) => (listeners.set(companyId, listener), () => undefined),
    onGap: () => () => undefined,
  };
  const onFault = (error: unknown) => expect.unreachable(String(error));
  const figures = { journalsRead: () => undefined };
  const feeds = new CompanyFeeds(
    journals,
    moves,
    notices,
    figures,
    new DeficitRoundRobin(ROUND_BYTES),
    onFault,
    AT_ONCE,
  );

  const join = async (companyId: keyof typeof sentTo, count: number, takesEvents = false) => {
    const feed = await feeds.acquire(companyId);
    for (let i = 0; i < count; i += 1) {
      const send = (text: Buffer) => {
        sentTo[companyId] += text.byteLength;
        if (companyId === 'small') texts.push(String(text));
      };
      const sink = { isFull: false, isClosing: false, send, close: () => undefined };
      const flows = new ReadableFlows({ mayReadFlow: () => true }, () => 0);
      const caller = { userId: 'u1', companyId } as Principal;
      const reader = new CompanyReader(feed, sink, flows, {
        journals,
        moves,
        semaphore: new FairSemaphore(2),
        takesEvents,
        takesAcceptances: () => false,
        onFault,
        textOf: ({ kind, text }) => (kind === 'acceptance' ? null : text),
        caller: () => caller,
        seesPlay: () => true,
        onSent: () => undefined,
      });
      feed.add(reader);
    }
    return feed;
  };

  /** Stores a play with this many layers, and announces it. */
  const put = (
    companyId: keyof typeof sentTo,
    layers: number,
    { brings = false, small = false }: { brings?: Brings; small?: boolean } = {},
  ) => {
    const playId = lastIdAt(NOW).slice(0, -4) + (made += 1).toString().padStart(4, '0');
    const written = write(accepted(playId), layers, true);
    const withOutputs = written.layers.map((one) => ({ ...one, out: 'x'.repeat(OUT_BYTES), outBytes: OUT_BYTES }));
    const play = { ...written, company_id: companyId, layers: small || brings ? written.layers : withOutputs };
    plays.set(playId, play);
    tell(play, brings);
    return play;
  };
  const tell = (play: Play, brings: Brings) => {
    const brought = brings ? noticeJournal(play) : null;
    const journal = brought && { ...brought, ...(brings === 'with its end' && { endedAt: play.completedAt }) };
    listeners.get(play.company_id)?.([{ playId: play._id, seq: play.seq, ...(journal && { journal }) }]);
  };
  /** Runs `work` once, during the next read. */
  const besideRead = (work: () => void) => (atNextRead = work);
  return { join, put, tell, besideRead, sentTo, texts, reads, ends, caughtUp: () => caughtUp };
}

describe('beside a company with much to say to many', () => {
  it('the message of another one is sent before the many have theirs, after a few rounds of bytes at the most', async () => {
    const { join, put, sentTo } = fixture();
    await join('big', BIG.readers);
    await join('small', 1);
    put('big', BIG.layers);
    while (sentTo.big === 0) await turn();
    const before = sentTo.big;
    put('small', 0);
    while (sentTo.small === 0) await turn();
    // a round until it is read, and one until its company's turn
    expect(sentTo.big - before).toBeLessThanOrEqual(3 * ROUND_BYTES);
    const all = BIG.readers * BIG.layers * OUT_BYTES;
    expect(sentTo.big).toBeLessThan(all / 4);
    while (sentTo.big < all) await turn();
  });

  it('the play of another one is read with its next ones, and not behind all that it has', async () => {
    const { join, put, reads, sentTo } = fixture();
    await join('big', 1);
    await join('small', 1);
    for (let i = 0; i < 100; i += 1) put('big', 1);
    put('small', 0);
    while (sentTo.small === 0) await turn();
    expect([reads[0]?.includes('small'), reads.flat().length < 20]).toEqual([true, true]);
    while (sentTo.big < 100 * OUT_BYTES) await turn();
  });

  it('is no memory for what it has to say: it is read as its readers are told, who need not catch up', async () => {
    const { join, put, sentTo, caughtUp } = fixture();
    const feed = await join('big', BIG.readers);
    const plays = 40;
    for (let i = 0; i < plays; i += 1) put('big', BIG.layers);
    let kept = 0;
    while (sentTo.big < plays * BIG.readers * BIG.layers * OUT_BYTES) {
      await turn();
      kept = Math.max(kept, ((feed.ring.end - feed.ring.start) / 2) * OUT_BYTES);
    }
    expect([kept > 0, kept <= DEFAULT_RING_BOUNDS.bytes, caughtUp()]).toEqual([true, true, 0]);
  });
});

describe('a notice that brings the journal', () => {
  const bare = (text: string) => {
    const {
      cursor: _cursor,
      playId: _playId,
      play,
      ...rest
    } = JSON.parse(text) as { play?: object } & Record<string, unknown>;
    return { ...rest, state: rest.state, play: play ? { ...play, id: null } : null };
  };

  it('is told without a read but that of the time of its end, in the words of a journal that was read', async () => {
    const { join, put, texts, reads, ends } = fixture();
    await join('small', 1);
    const play = put('small', 3, { brings: true });
    // all but the end are there at once
    expect(ends).toEqual([]);
    while (texts.length < 8) await turn();
    expect([reads, ends]).toEqual([[], [play._id]]);
    const brought = texts.splice(0).map(bare);
    put('small', 3, { small: true });
    while (texts.length < 8) await turn();
    expect(reads).toHaveLength(1);
    expect(brought).toEqual(texts.map(bare));
    expect(new Set(brought.map(({ state }) => state))).toEqual(new Set(['RUN', 'DONE']));
  });

  it('is told whole and without a read when it brings the time of the end', async () => {
    const { join, put, texts, reads, ends } = fixture();
    await join('small', 1);
    put('small', 3, { brings: 'with its end' });
    while (texts.length < 8) await turn();
    expect([reads, ends]).toEqual([[], []]);
    const brought = texts.splice(0).map(bare);
    put('small', 3, { small: true });
    while (texts.length < 8) await turn();
    expect(brought).toEqual(texts.map(bare));
    expect(brought.at(-1)).toMatchObject({ state: 'DONE', play: { completedAt: expect.any(String) as string } });
  });

  it.each(['before the read of its play', 'while its play is being read'])('is told once, %s', async (when) => {
    const { join, put, tell, besideRead, texts, reads } = fixture();
    await join('small', 1);
    const play = put('small', 1, { small: true });
    if (when.startsWith('before')) tell(play, true);
    else besideRead(() => tell(play, true));
    while (texts.length < 4) await turn();
    for (let i = 0; i < 10; i += 1) await turn();
    expect(texts).toHaveLength(4);
    expect(reads).toHaveLength(when.startsWith('before') ? 0 : 1);
  });

  it('serves readers who take the frames of plays, too', async () => {
    const { join, put, reads, ends, texts } = fixture();
    await join('small', 1, true);
    put('small', 1, { brings: true });
    while (texts.length < 4) await turn();
    expect([reads, ends.length]).toEqual([[], 1]);
  });

  it('is read in full beside many others whose ends are not read yet', async () => {
    const { join, put, besideRead, reads, ends, texts } = fixture();
    await join('small', 1);
    besideRead(() => {
      for (let i = 0; i < 80; i += 1) put('small', 1, { brings: true });
    });
    put('small', 1, { small: true });
    while (texts.length < 81 * 4) await turn();
    expect(ends.length).toBeLessThanOrEqual(64);
    expect(reads.flat().length + ends.length).toBe(81);
  });

  it('waits for its company’s turn, and is not read then either', async () => {
    const { join, put, reads, ends, sentTo } = fixture();
    const feed = await join('big', BIG.readers);
    put('big', BIG.layers);
    while (sentTo.big === 0) await turn();
    const [before, delivered] = [reads.length, feed.ring.end];
    put('big', 1, { brings: 'with its end' });
    expect(feed.ring.end).toBe(delivered);
    while (feed.ring.end === delivered) await turn();
    expect([reads.length, ends]).toEqual([before, []]);
    expect(sentTo.big).toBeGreaterThan((BIG.readers - 1) * BIG.layers * OUT_BYTES);
  });

  it('is delivered although an earlier notice comes after it', async () => {
    const { join, put, tell, reads, sentTo } = fixture();
    const feed = await join('big', BIG.readers);
    put('big', BIG.layers);
    while (sentTo.big === 0) await turn();
    const [before, delivered] = [reads.length, feed.ring.end];
    const play = put('big', 1, { brings: 'with its end' });
    tell({ ...play, seq: play.seq - 1 }, false);
    while (feed.ring.end === delivered) await turn();
    expect([reads.length, feed.lacks(play._id, play.seq)]).toEqual([before, false]);
  });

  it('is not kept when a later notice brings none: the play is read', async () => {
    const { join, put, tell, reads, sentTo } = fixture();
    const feed = await join('big', BIG.readers);
    put('big', BIG.layers);
    while (sentTo.big === 0) await turn();
    const [before, delivered] = [reads.length, feed.ring.end];
    tell(put('big', 1, { brings: 'with its end' }), false);
    while (feed.ring.end === delivered) await turn();
    expect(reads.length).toBe(before + 1);
  });
});
