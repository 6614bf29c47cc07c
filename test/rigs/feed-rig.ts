import { DeficitRoundRobin } from '@weft/concurrency';
import type { PlayFrame } from '@weft/contracts';
import { acceptPlay, applyWrite, journal, numberEvents, type Play, type PlayEvent } from '@weft/engine';
import { RESULTS_PER_READ, type JournalRead, type StoredJournal, type StoredSeq } from '@weft/persistence';
import type { NoticesListener } from '@weft/realtime-bus';
import { DEFAULT_PACE } from '../../apps/realtime/src/journal-reader.js';
import { PlayFeed, type PlayJournals } from '../../apps/realtime/src/play-stream/play-feed.js';
import { PlayWatcher, type FrameSink } from '../../apps/realtime/src/play-stream/play-watcher.js';

/** Due plays are read in the next turn of the event loop. */
export const AT_ONCE = { ...DEFAULT_PACE, spacingMs: 0 };

const at = new Date('2026-11-21T09:00:00.000Z');
/** What was due in this turn of the event loop has begun. */
export const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The stored plays in memory. Reads resolve when the test allows it, with the state at the time of the call. */
class StoredInMemory implements PlayJournals {
  readonly plays = new Map<string, Play>();
  readonly waiting: { readonly answer: () => void; readonly fail: () => void }[] = [];
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

/**
 * A feed on in-memory implementations of everything that it needs.
 *
 * @param roundBytes bytes to send before the event loop continues
 */
export function feedRig(roundBytes?: number) {
  const stored = new StoredInMemory();
  const notices = new Notices();
  const counted = { frames: 0 };
  const sinks: Sink[] = [];
  const feed = new PlayFeed(
    stored,
    notices,
    { framesSent: (count) => (counted.frames += count), journalsRead: () => undefined },
    new DeficitRoundRobin(roundBytes),
    () => undefined,
    undefined,
    AT_ONCE,
  );
  const watch = (playId: string, fromSeq = 1, room = Infinity, companyId = 'c1') => {
    const sink = new Sink(room);
    sinks.push(sink);
    const watcher = new PlayWatcher({ playId, companyId, flowId: 'f1' }, fromSeq, sink);
    feed.add(watcher);
    return { sink, watcher, fromSeq };
  };
  const settle = async () => {
    const sent = () => sinks.reduce((sum, { frames }) => sum + frames.length, 0);
    for (let quiet = 0, before = sent(); quiet < 3; before = sent()) {
      stored.waiting.splice(0).forEach((one) => {
        quiet = -1;
        one.answer();
      });
      await turn();
      quiet = sent() > before ? 0 : quiet + 1;
    }
  };
  return { stored, notices, feed, watch, settle, counted };
}

export function accepted(playId: string): Play {
  const run = { companyId: 'c1', flowId: 'f1', version: 1, args: {}, idempotencyKey: null, dueAt: null } as const;
  return acceptPlay({ ...run, playId, trigger: 'api', triggeredBy: 'u1', serverNow: at });
}

/** One write of a worker with this many more results; no change if the play has ended. */
export function write(play: Play, layers: number, end: boolean): Play {
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
      ...{ unset: [], touch: end ? ['completedAt'] : [], layers: results, log: numberEvents(play.seq, events) },
    },
    at,
  );
  return next ?? play;
}

/** The journal as it arrives at a client. */
export const shown = (play: Play | undefined, fromSeq: number) =>
  play ? (JSON.parse(JSON.stringify(journal(play, fromSeq))) as PlayFrame[]) : [];
