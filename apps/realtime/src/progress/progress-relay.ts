import type { LayerProgress, LayerText } from '@weft/contracts';
import { runningLayers, type LayerWait, type LogReading } from '@weft/engine';
import type { StoredJournal } from '@weft/store';
import type { PlayProgress } from '@weft/realtime-bus';
import type { PlayWatcher } from '../play-stream/play-watcher.js';
import { delayProgress, progressFrame, textFrame, type DisplayedProgress } from './progress-frame.js';
import { SaidSoFar } from './said-so-far.js';

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
  /** By position. */
  readonly said: Map<number, SaidSoFar>;
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
    this.plays.set(play, { ...EMPTY_STATE, lastSent: new Map(), early: new Map(), said: new Map() });
    this.byId.set(play.playId, play);
    const company = this.companies.get(play.companyId);
    if (company) company.plays += 1;
    else {
      const stop = this.bus.subscribe(play.companyId, {
        progress: (updates) => this.receive(play.companyId, updates),
        text: (said) => this.hear(play.companyId, said),
      });
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
    for (const kept of [known.lastSent, known.said])
      for (const position of kept.keys()) if (!running.has(position)) kept.delete(position);
    for (const { position } of delays) known.lastSent.delete(position); // a watcher may have been added: all get it again
    this.plays.set(play, { ...known, frames, running, delays });
    for (const one of [...known.early.values()]) this.receive(play.companyId, [one]);
    for (const position of known.said.keys()) this.tell(play, position);
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

  /** What arrives before the start of the layer was read is kept: its watchers get it with the start. */
  private hear(companyId: string, piece: LayerText): void {
    const play = this.byId.get(piece.playId);
    const said = play && this.plays.get(play)?.said;
    if (!said || play.companyId !== companyId) return;
    let kept = said.get(piece.position);
    if (!kept && said.size === MAX_EARLY) return;
    if (!kept) said.set(piece.position, (kept = new SaidSoFar()));
    kept.add(piece);
    this.tell(play, piece.position);
  }

  private tell(play: FollowedPlay, position: number): void {
    const known = this.plays.get(play);
    const [ref, said] = [known?.running.get(position), known?.said.get(position)];
    if (!known || !said || ref === undefined) return;
    for (const watcher of readyOf(play, known)) {
      const piece = said.next(watcher);
      if (piece) watcher.sink.send(textFrame(play.playId, position, ref, piece));
    }
  }

  /** False when no watcher could get it yet. */
  private relay(play: FollowedPlay, position: number, attempt: number, progress: DisplayedProgress): boolean {
    const known = this.plays.get(play);
    const ref = known?.running.get(position);
    if (!known || ref === undefined) return false;
    if (isStale(known.lastSent.get(position), attempt, progress.percent)) return true;
    const ready = readyOf(play, known);
    if (ready.length === 0) return false;
    known.lastSent.set(position, { attempt, percent: progress.percent });
    const frame = progressFrame(play.playId, position, ref, progress);
    for (const watcher of ready) watcher.sink.send(frame);
    return true;
  }
}

/** Those who have every frame that was read. */
function readyOf({ watchers }: FollowedPlay, { frames }: LogReading): readonly PlayWatcher[] {
  return [...watchers].filter((one) => one.canTake && one.nextSeq === frames + 1);
}

/** From an earlier attempt, lower than what was sent, or no increase of a delay. */
function isStale(last: SentProgress | undefined, attempt: number, percent: number): boolean {
  if (!last) return false;
  if (attempt !== last.attempt) return attempt < last.attempt;
  return attempt === DELAY_ATTEMPT ? percent <= last.percent : percent < last.percent;
}
