import type { LayerProgress } from '@weft/contracts';
import { runningLayers, type LayerWait, type LogReading } from '@weft/engine';
import type { StoredJournal } from '@weft/store';
import type { PlayProgress } from '@weft/realtime-bus';
import type { PlayWatcher } from '../play-stream/play-watcher.js';
import { delayProgress, progressFrame, type DisplayedProgress } from './progress-frame.js';

/** A play that the feed watches, as far as the relay needs it. */
export interface FollowedPlay {
  readonly playId: string;
  readonly companyId: string;
  readonly watchers: ReadonlySet<PlayWatcher>;
}

interface SentProgress {
  readonly attempt: number;
  readonly percent: number;
}

interface PlayProgressState extends LogReading {
  readonly delays: readonly LayerWait[];
  /** By position, what was sent last: percentages of one call do not decrease. */
  readonly lastSent: Map<number, SentProgress>;
  /** By position, what arrived before it could be sent: the start was not read yet, or the socket was full. */
  readonly early: Map<number, LayerProgress>;
}

const MAX_EARLY = 32;
/** Used instead of an attempt number, which a delay does not have. */
const DELAY_ATTEMPT = 0;

const EMPTY_STATE: LogReading & Pick<PlayProgressState, 'delays'> = { frames: 0, running: new Map(), delays: [] };

/**
 * Brings the progress of running layers to the watchers of their plays: what workers publish and, for parked delays,
 * which no worker holds, the elapsed time. A watcher gets the progress only of layers whose start it has and whose end
 * it does not have, so only when it has every frame that was read; a watcher that is further back gets the next update.
 */
export class ProgressRelay {
  private readonly plays = new Map<FollowedPlay, PlayProgressState>();
  private readonly byId = new Map<string, FollowedPlay>();
  private readonly companies = new Map<string, { plays: number; readonly stop: () => void }>();

  /** @param serverNow MongoDB's clock, epoch ms */
  constructor(
    private readonly bus: Pick<PlayProgress, 'subscribe'>,
    private readonly serverNow: () => number,
  ) {}

  follow(play: FollowedPlay): void {
    this.plays.set(play, { ...EMPTY_STATE, lastSent: new Map(), early: new Map() });
    this.byId.set(play.playId, play);
    const company = this.companies.get(play.companyId);
    if (company) company.plays += 1;
    else {
      const stop = this.bus.subscribe(play.companyId, (updates) => this.receive(play.companyId, updates));
      this.companies.set(play.companyId, { plays: 1, stop });
    }
  }

  /** The play was read, and its watchers have what they can take of it. */
  onDelivered(play: FollowedPlay, stored: Pick<StoredJournal, 'log' | 'waits'>): void {
    const known = this.plays.get(play);
    if (!known) return;
    const { frames, running } = runningLayers(stored.log);
    if (frames < known.frames) return; // an older read that arrived later
    const delays = Object.values(stored.waits ?? {}).filter(({ kind }) => kind === 'delay');
    for (const position of known.lastSent.keys()) if (!running.has(position)) known.lastSent.delete(position);
    for (const { position } of delays) known.lastSent.delete(position); // a watcher may have been added: all get it again
    this.plays.set(play, { ...known, frames, running, delays });
    for (const one of [...known.early.values()]) this.receive(play.companyId, [one]);
  }

  unfollow(play: FollowedPlay): void {
    if (!this.plays.delete(play)) return;
    this.byId.delete(play.playId);
    const company = this.companies.get(play.companyId);
    if (!company) return;
    company.plays -= 1;
    if (company.plays > 0) return;
    this.companies.delete(play.companyId);
    company.stop();
  }

  /** Called once a second. A delay's progress is sent whenever it has increased by a whole percent. */
  tick(): void {
    const nowMs = this.serverNow();
    for (const [play, { delays }] of this.plays) {
      for (const wait of delays) {
        const passed = delayProgress(wait, nowMs);
        if (passed) this.relay(play, wait.position, DELAY_ATTEMPT, passed);
      }
    }
  }

  close(): void {
    for (const company of this.companies.values()) company.stop();
    this.companies.clear();
    this.plays.clear();
    this.byId.clear();
  }

  private receive(companyId: string, updates: readonly LayerProgress[]): void {
    for (const one of updates) {
      const play = this.byId.get(one.playId);
      const early = play && this.plays.get(play)?.early;
      if (!early || play.companyId !== companyId) continue;
      early.delete(one.position);
      const passed = this.relay(play, one.position, one.attempt, one);
      if (!passed && early.size < MAX_EARLY) early.set(one.position, one);
    }
  }

  /** False when no watcher could get it yet. */
  private relay(play: FollowedPlay, position: number, attempt: number, progress: DisplayedProgress): boolean {
    const known = this.plays.get(play);
    const ref = known?.running.get(position);
    if (!known || ref === undefined) return false;
    if (isStale(known.lastSent.get(position), attempt, progress.percent)) return true;
    const ready = [...play.watchers].filter((one) => one.canTake && one.nextSeq === known.frames + 1);
    if (ready.length === 0) return false;
    known.lastSent.set(position, { attempt, percent: progress.percent });
    const frame = progressFrame(play.playId, position, ref, progress);
    for (const watcher of ready) watcher.sink.send(frame);
    return true;
  }
}

/** From an earlier attempt, lower than what was sent, or no increase of a delay. */
function isStale(last: SentProgress | undefined, attempt: number, percent: number): boolean {
  if (!last) return false;
  if (attempt !== last.attempt) return attempt < last.attempt;
  return attempt === DELAY_ATTEMPT ? percent <= last.percent : percent < last.percent;
}
