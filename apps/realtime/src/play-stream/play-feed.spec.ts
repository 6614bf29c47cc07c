import { CLOSE, type PlayFrame } from '@weft/contracts';
import { acceptPlay, applyWrite, journal, numbered, type Play, type PlayEvent } from '@weft/engine';
import { RESULTS_PER_READ, type JournalRead, type StoredJournal, type StoredSeq } from '@weft/persistence';
import type { NoticesListener } from '@weft/realtime-bus';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PlayFeed, type PlayJournals } from './play-feed.js';
import { PlayWatcher, type FrameSink } from './play-watcher.js';

const at = new Date('2026-11-21T09:00:00.000Z');
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The stored plays in memory. Answers come when the test lets them, with what was stored when they were asked for. */
class StoredInMemory implements PlayJournals {
  readonly plays = new Map<string, Play>();
  readonly waiting: { readonly answer: () => void; readonly fail: () => void }[] = [];
  /** Results below the slice, that a read gave all the same: there must be none. */
  readsOfResults = 0;

  readJournals(reads: readonly JournalRead[]): Promise<readonly StoredJournal[]> {
    const found = reads.flatMap(({ playId, companyId, layersFrom }) => {
      const play = this.plays.get(playId);
      if (play?.company_id !== companyId) return [];
      const layers = play.layers.slice(layersFrom, layersFrom + RESULTS_PER_READ);
      this.readsOfResults += layers.length;
      return [{ ...play, layers }];
    });
    return this.hold(found);
  }

  readSeqs(plays: readonly Omit<JournalRead, 'layersFrom'>[]): Promise<readonly StoredSeq[]> {
    return this.hold(plays.flatMap(({ playId }) => this.plays.get(playId) ?? []));
  }

  private hold<T>(value: T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ answer: () => resolve(value), fail: () => reject(new Error('the store is away')) });
    });
  }
}

class Notices {
  readonly listeners = new Map<string, NoticesListener>();
  private tellGap: (companyIds: readonly string[]) => void = () => undefined;

  subscribe(companyId: string, listener: NoticesListener): () => void {
    this.listeners.set(companyId, listener);
    return () => this.listeners.delete(companyId);
  }
  onGap(listener: (companyIds: readonly string[]) => void): () => void {
    this.tellGap = listener;
    return () => undefined;
  }
  gap(): void {
    this.tellGap([...this.listeners.keys()]);
  }
  tell(playId: string, seq: number): void {
    this.listeners.get('c1')?.([{ playId, seq }]);
  }
}

/** A socket with room for some frames until it is emptied. */
class Sink implements FrameSink {
  readonly frames: PlayFrame[] = [];
  readonly closes: number[] = [];
  private taken = 0;
  constructor(private readonly room: number) {}
  get isFull(): boolean {
    return this.frames.length - this.taken >= this.room;
  }
  get isClosing(): boolean {
    return this.closes.length > 0;
  }
  send(text: Buffer): void {
    this.frames.push(JSON.parse(String(text)) as PlayFrame);
  }
  close(code: number): void {
    this.closes.push(code);
  }
  empty(): void {
    this.taken = this.frames.length;
  }
}

function rig() {
  const stored = new StoredInMemory();
  const notices = new Notices();
  const counted = { frames: 0 };
  const feed = new PlayFeed(
    stored,
    notices,
    { framesSent: (count) => (counted.frames += count), journalsRead: () => undefined },
    () => undefined,
  );
  const watch = (playId: string, fromSeq = 1, room = Infinity, companyId = 'c1') => {
    const sink = new Sink(room);
    const watcher = new PlayWatcher({ playId, companyId, flowId: 'f1' }, fromSeq, sink);
    feed.add(watcher);
    return { sink, watcher, fromSeq };
  };
  const settle = async () => {
    for (let quiet = 0; quiet < 3;) {
      quiet = stored.waiting.length > 0 ? 0 : quiet + 1;
      stored.waiting.splice(0).forEach((one) => one.answer());
      await turn();
    }
  };
  return { stored, notices, feed, watch, settle, counted };
}

function accepted(playId: string): Play {
  const run = { companyId: 'c1', flowId: 'f1', version: 1, args: {}, idempotencyKey: null, dueAt: null } as const;
  return acceptPlay({ ...run, playId, trigger: 'api', triggeredBy: 'u1', serverNow: at });
}

/** One write of a worker; false when the play has ended. */
function write(play: Play, layers: number, end: boolean): Play {
  const made = Array.from({ length: layers }, (_, i) => play.layers.length + i);
  const ref = (position: number) => ({ layer: position, ref: `l${position}`, name: 'L' });
  const events: PlayEvent[] = [
    ...(play.state === 'NEW' ? [{ type: 'state', from: 'NEW', state: 'RUN', at } as const] : []),
    ...made.flatMap((position): PlayEvent[] => [
      { type: 'start', ...ref(position), at },
      { type: 'complete', layer: position, state: 'DONE', at },
    ]),
    ...(end
      ? ([
          { type: 'state', from: 'RUN', state: 'DONE', at },
          { type: 'end', state: 'DONE', at },
        ] as const)
      : []),
  ];
  const results = made.map((position) => ({
    ...{ position, ref: `l${position}`, name: 'L', state: 'DONE' as const, startedAt: at, completedAt: at },
    ...{ out: { position }, outBytes: 20, attempts: 1, by: 'w' },
  }));
  const next = applyWrite(
    play,
    {
      match: { epoch: play.epoch, seq: play.seq, states: ['NEW', 'RUN'] },
      set: { state: end ? 'DONE' : 'RUN', seq: play.seq + events.length },
      ...{ unset: [], touch: end ? ['completedAt'] : [], layers: results, log: numbered(play.seq, events) },
    },
    at,
  );
  return next ?? play;
}

const shown = (play: Play | undefined, fromSeq: number) =>
  play ? (JSON.parse(JSON.stringify(journal(play, fromSeq))) as PlayFrame[]) : [];

describe('the feed of watched plays', () => {
  it('gives every watcher the journal from its number on, once and in order, whatever is lost, late or slow', async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('write' as const), layers: fc.integer({ min: 0, max: 20 }), end: fc.boolean() }),
      fc.record({ do: fc.constantFrom('notice', 'gap', 'compare', 'drain'), pick: fc.nat() }),
      fc.record({ do: fc.constantFrom('answer', 'fail'), pick: fc.nat() }),
      fc.record({
        do: fc.constant('watch' as const),
        play: fc.constantFrom('p1', 'p2'),
        fromSeq: fc.integer({ min: 1, max: 30 }),
        room: fc.constantFrom(1, 3, 10, Infinity),
      }),
    );
    const steps = fc.array(fc.tuple(fc.constantFrom('p1', 'p2'), step), { minLength: 5, maxLength: 60, size: 'max' });
    await fc.assert(
      fc.asyncProperty(steps, async (moves) => {
        const { stored, notices, feed, watch, settle, counted } = rig();
        const watching: ReturnType<typeof watch>[] = [];
        const lost: [string, number][] = [];
        for (const id of ['p1', 'p2']) stored.plays.set(id, accepted(id));
        const drain = ({ sink, watcher }: ReturnType<typeof watch>) => {
          if (!sink.isFull) return; // a socket tells of room only after it had none
          sink.empty();
          feed.resume(watcher);
        };
        const store = (id: string, layers: number, end: boolean) => {
          const next = write(stored.plays.get(id) ?? accepted(id), layers, end);
          stored.plays.set(id, next);
          lost.push([id, next.seq]);
        };
        for (const [id, move] of moves) {
          if (move.do === 'write') store(id, move.layers, move.end && move.layers > 15);
          else if (move.do === 'watch') watching.push(watch(move.play, move.fromSeq, move.room));
          else if (move.do === 'gap') notices.gap();
          else if (move.do === 'compare') void feed.compare();
          else if (move.do === 'notice') for (const [play, seq] of lost.splice(move.pick % 3)) notices.tell(play, seq);
          else if (move.do === 'drain') {
            const one = watching[move.pick % Math.max(1, watching.length)];
            if (one) drain(one);
          } else {
            const [held] = stored.waiting.splice(move.pick % Math.max(1, stored.waiting.length), 1);
            if (move.do === 'answer') held?.answer();
            else held?.fail();
          }
          await turn();
          for (const { sink, fromSeq, watcher } of watching) {
            const all = shown(stored.plays.get(watcher.play.playId), fromSeq);
            expect(sink.frames).toEqual(all.slice(0, sink.frames.length));
          }
        }
        for (const id of ['p1', 'p2']) store(id, 1, true);
        void feed.compare();
        await settle();
        while (watching.some(({ sink }) => sink.isFull && !sink.isClosing)) {
          watching.forEach(drain);
          await settle();
        }
        for (const { sink, fromSeq, watcher } of watching) {
          expect(sink.frames).toEqual(shown(stored.plays.get(watcher.play.playId), fromSeq));
          expect(sink.closes).toEqual([CLOSE.complete]);
        }
        expect(counted.frames).toBe(watching.reduce((sum, { sink }) => sum + sink.frames.length, 0));
      }),
      { numRuns: 60 },
    );
  });

  it('asks only for results that were not sent, and not again for a watcher that takes nothing', async () => {
    const { stored, notices, watch, settle } = rig();
    stored.plays.set('p1', write(accepted('p1'), 10, false));
    const slow = watch('p1', 1, 4);
    await settle();
    const quick = watch('p1');
    await settle();
    expect([stored.readsOfResults, slow.sink.frames.length, quick.sink.frames.length]).toEqual([20, 4, 21]);
    stored.plays.set('p1', write(stored.plays.get('p1') ?? accepted('p1'), 1, true));
    notices.tell('p1', stored.plays.get('p1')?.seq ?? 0);
    await settle();
    expect([stored.readsOfResults, slow.sink.frames.length, quick.sink.closes]).toEqual([21, 4, [CLOSE.complete]]);
  });

  it('reads nothing for notices of plays that nobody watches, or of what was read already', async () => {
    const { stored, notices, watch, settle } = rig();
    stored.plays.set('p1', write(accepted('p1'), 1, false));
    watch('p1');
    await settle();
    notices.tell('p2', 99);
    notices.tell('p1', stored.plays.get('p1')?.seq ?? 0);
    await turn();
    expect(stored.waiting).toEqual([]);
  });

  it('says that a play is gone, also when a comparison finds out', async () => {
    const { stored, feed, watch, settle } = rig();
    stored.plays.set('p1', accepted('p1'));
    const { sink } = watch('p1');
    await settle();
    stored.plays.delete('p1');
    void feed.compare();
    await settle();
    expect(sink.closes).toContain(CLOSE.playDeleted);
  });

  it('never shows a play to a watcher of another company', async () => {
    const { stored, watch, settle } = rig();
    stored.plays.set('p1', write(accepted('p1'), 1, true));
    const { sink } = watch('p1', 1, Infinity, 'c2');
    await settle();
    expect([sink.frames, sink.closes]).toEqual([[], [CLOSE.playDeleted]]);
  });

  it('shows nothing to a watcher whose right is in doubt, and everything once it is not', async () => {
    const { stored, feed, watch, settle } = rig();
    stored.plays.set('p1', accepted('p1'));
    const { sink, watcher } = watch('p1');
    await settle();
    watcher.suspended = true;
    stored.plays.set('p1', write(accepted('p1'), 1, true));
    void feed.compare();
    await settle();
    expect(sink.frames).toEqual([]);
    watcher.suspended = false;
    feed.resume(watcher);
    await settle();
    expect(sink.frames).toEqual(shown(stored.plays.get('p1'), 1));
  });

  it('hears of a company only as long as it has watchers there', () => {
    const { notices, feed, watch } = rig();
    const [one, other] = [watch('p1'), watch('p2')];
    expect([...notices.listeners.keys()]).toEqual(['c1']);
    feed.delete(one.watcher);
    expect(notices.listeners.size).toBe(1);
    feed.delete(other.watcher);
    feed.delete(other.watcher);
    expect(notices.listeners.size).toBe(0);
  });
});
