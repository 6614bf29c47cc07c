import type { LayerProgress } from '@weft/contracts';
import { runningLayers, type LayerWait, type LogReading } from '@weft/engine';
import type { StoredJournal } from '@weft/persistence';
import type { PlayProgress } from '@weft/realtime-bus';
import type { PlayWatcher } from '../play-stream/play-watcher.js';
import { delayProgress, progressFrame, type ToldProgress } from './progress-frame.js';

/** What the feed follows, as far as the relay needs it. */
export interface FollowedPlay {
  readonly playId: string;
  readonly companyId: string;
  readonly watchers: ReadonlySet<PlayWatcher>;
}

interface Told {
  readonly attempt: number;
  readonly percent: number;
}

interface Known extends LogReading {
  readonly delays: readonly LayerWait[];
  /** By position, what was told last: percentages of one call do not fall. */
  readonly told: Map<number, Told>;
  /** By position, what came before somebody could be told: the start was not read yet, or the socket was full. */
  readonly early: Map<number, LayerProgress>;
}

const EARLY_MAX = 32;
/** In the place of an attempt: a delay has none. */
const DELAY = 0;

const NOTHING: LogReading & Pick<Known, 'delays'> = { frames: 0, running: new Map(), delays: [] };

/**
 * Brings the progress of running layers to the watchers of their plays: what workers tell, and of parked delays, which no
 * worker has, the time that has passed. A watcher is told only of layers of which it has the start and not the end, so only
 * when it has every frame that was read; whoever lags behind is told the next time.
 */
export class ProgressRelay {
  private readonly plays = new Map<FollowedPlay, Known>();
  private readonly byId = new Map<string, FollowedPlay>();
  private readonly companies = new Map<string, { plays: number; readonly stop: () => void }>();

  /** @param serverNow MongoDB's clock, epoch ms */
  constructor(
    private readonly bus: Pick<PlayProgress, 'subscribe'>,
    private readonly serverNow: () => number,
  ) {}

  follow(play: FollowedPlay): void {
    this.plays.set(play, { ...NOTHING, told: new Map(), early: new Map() });
    this.byId.set(play.playId, play);
    const company = this.companies.get(play.companyId);
    if (company) company.plays += 1;
    else {
      const stop = this.bus.subscribe(play.companyId, (told) => this.receive(play.companyId, told));
      this.companies.set(play.companyId, { plays: 1, stop });
    }
  }

  /** The play was read, and its watchers have what they can take of it. */
  learn(play: FollowedPlay, stored: Pick<StoredJournal, 'log' | 'waits'>): void {
    const known = this.plays.get(play);
    if (!known) return;
    const { frames, running } = runningLayers(stored.log);
    if (frames < known.frames) return; // an older read that came later
    const delays = Object.values(stored.waits ?? {}).filter(({ kind }) => kind === 'delay');
    for (const position of known.told.keys()) if (!running.has(position)) known.told.delete(position);
    for (const { position } of delays) known.told.delete(position); // a watcher may have come: all are told again
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

  /** Called once a second. A delay is told of whenever a whole percent more of it has passed. */
  tick(): void {
    const nowMs = this.serverNow();
    for (const [play, { delays }] of this.plays) {
      for (const wait of delays) {
        const passed = delayProgress(wait, nowMs);
        if (passed) this.pass(play, wait.position, DELAY, passed);
      }
    }
  }

  close(): void {
    for (const company of this.companies.values()) company.stop();
    this.companies.clear();
    this.plays.clear();
    this.byId.clear();
  }

  private receive(companyId: string, told: readonly LayerProgress[]): void {
    for (const one of told) {
      const play = this.byId.get(one.playId);
      const early = play && this.plays.get(play)?.early;
      if (!early || play.companyId !== companyId) continue;
      early.delete(one.position);
      const passed = this.pass(play, one.position, one.attempt, one);
      if (!passed && early.size < EARLY_MAX) early.set(one.position, one);
    }
  }

  /** False when there was nobody to tell yet. */
  private pass(play: FollowedPlay, position: number, attempt: number, progress: ToldProgress): boolean {
    const known = this.plays.get(play);
    const ref = known?.running.get(position);
    if (!known || ref === undefined) return false;
    if (isOver(known.told.get(position), attempt, progress.percent)) return true;
    const ready = [...play.watchers].filter((one) => one.canTake && one.nextSeq === known.frames + 1);
    if (ready.length === 0) return false;
    known.told.set(position, { attempt, percent: progress.percent });
    const frame = progressFrame(play.playId, position, ref, progress);
    for (const watcher of ready) watcher.sink.send(frame);
    return true;
  }
}

/** Of an attempt before, less than was told, or of a delay nothing new. */
function isOver(told: Told | undefined, attempt: number, percent: number): boolean {
  if (!told) return false;
  if (attempt !== told.attempt) return attempt < told.attempt;
  return attempt === DELAY ? percent <= told.percent : percent < told.percent;
}
