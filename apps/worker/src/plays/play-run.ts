import {
  beginsToAwaitEvents,
  decideGivingUp,
  decideKeeping,
  onWriteStored,
  onLayerEnded,
  onLayersStarted,
  onConditionChecked,
  decideLazyClaim,
  nextStep,
  layersWaitingForPlays,
  onWriteRefused,
  startSession,
  unstorableEndWrites,
  type LayerOutcome,
  type OwnedPlay,
  type Play,
  type Session,
  type SessionWrite,
  type StoredStep,
  type UnstorableError,
} from '@weft/engine';
import type { HandOut } from '@weft/queue';
import type { LeasedRun } from '../lease/lease-keeper.js';
import { PlayLayers } from './play-layers.js';
import { OwnershipProof } from './ownership-proof.js';
import type { PlayRunDeps } from './play-run-deps.js';
import { preparePlay } from './prepare-play.js';
import { PlayRoom } from './play-room.js';
import { RunningCalls } from './running-calls.js';
import { StalledReads } from './stalled-reads.js';
import { storeOrEnd } from './store-or-end.js';
import { SuspectTurn } from './suspect-turn.js';
import { StartReporter, reportEnd } from './play-reports.js';
import { JournalPublisher } from './journal-publisher.js';

/** Between two attempts to claim a play whose calls take long. */
const LOOK_AGAIN_MS = 20;
/** A hold or a resume may change the play between the decision to hand back and its write. */
const GIVE_UP_ATTEMPTS = 5;

/**
 * One play in one worker, from its hand-out to its end, its parking or its loss. Performs what the engine decides
 * (`nextStep`), one write in flight at a time, and reports to the engine what happened.
 */
export class PlayRun implements LeasedRun {
  readonly owned: OwnedPlay;
  private session!: Session;
  private play!: Play;
  private readonly publisher: JournalPublisher;
  private readonly abort = new AbortController();
  private readonly proof: OwnershipProof;
  /** The write in flight, and the read after its refusal. The next write waits for it. */
  private writing: Promise<void> | null = null;
  private readonly running = new RunningCalls();
  private readonly stalled = new StalledReads();
  private layers!: PlayLayers;
  readonly turn: SuspectTurn;
  private readonly room: PlayRoom;
  private readonly startReporter = new StartReporter();
  private storing = false;
  private writesSent = 0;
  private lazyTimer?: NodeJS.Timeout;

  constructor(
    private readonly handOut: HandOut,
    private readonly ownerId: string,
    private readonly deps: PlayRunDeps,
  ) {
    this.proof = new OwnershipProof(handOut.handedOutAtMs, deps.times);
    this.owned = { key: handOut.job, owner: ownerId };
    this.publisher = new JournalPublisher(deps.events, handOut.job);
    this.room = new PlayRoom(deps.memory, handOut.job.companyId);
    this.turn = new SuspectTurn(deps.suspects, ownerId, handOut.job.playId);
  }

  /** Resolves with the reason why it ended, in one word. */
  async run(): Promise<string> {
    const { deps, room, abort, running, proven, keep, ownerId: by } = this;
    try {
      if (deps.isStopping()) room.waitNoMore();
      const others = deps.isOfOthers(this.handOut.job.companyId);
      const ready = await preparePlay(this.handOut.job, this.publisher, { ...deps, room });
      if (typeof ready === 'string') return ready;
      const { play, prepared } = ready;
      const isOfOthers = others instanceof Promise ? await others : others;
      const session = startSession(play, { ...this.stepInputs(), isOfOthers }, prepared.plan);
      if ('drop' in session) return session.drop;
      this.session = session;
      this.play = play;
      const call = { signal: abort.signal, leave: running.leave, by, proven, keep };
      this.layers = new PlayLayers(deps.layers, play, prepared, call, deps.events);
      this.layers.learn(session.unstoredResults, null, null);
      return await deps.events.scope(
        play,
        this.handOut,
        () => this.runSteps(),
        () => this.session?.state,
      );
    } catch (error) {
      // stops its calls and its lease, so that nothing runs in parallel with the next worker
      if (this.session) this.end(String(error));
      throw error;
    } finally {
      clearTimeout(this.lazyTimer);
      deps.leases.release(this);
      this.turn.end();
      room.release();
    }
  }

  /** The grace is over: gives the play to the next worker, even if calls run. */
  async giveUp(): Promise<void> {
    // between calls, `runSteps` sees that the process stops and hands the play back
    if (this.session?.endReason !== null || this.session.runningCalls.length === 0) return;
    for (let attempt = 0; attempt < GIVE_UP_ATTEMPTS; attempt += 1) {
      while (this.writing) await this.writing;
      const step = decideGivingUp(this.session, this.now());
      if (!step) break;
      await this.store(step);
    }
    this.end('stopped');
  }

  /** The process stops or the play changed: ends waits, those of calls for rate limits under a stop or a hold, to decide the next step. */
  nudge(): void {
    this.running.wakeUp(this.deps.isStopping() || this.session?.state === 'ON_HOLD');
    this.turn.cancelRequest();
    if (this.deps.isStopping()) this.room.waitNoMore();
  }

  /** Another process changed the play: reads it again now, and gives it up if necessary. */
  look(): void {
    if (this.session) this.onLeaseLost();
  }

  onRenewed(sentAtMs: number): void {
    this.proof.renewed(sentAtMs);
  }

  onLeaseLost(): void {
    // the answer of a write in flight shows the state of the play
    if (!this.storing) void this.reread('renew').catch((error: unknown) => this.end(String(error)));
  }

  private async runSteps(): Promise<string> {
    for (;;) {
      while (this.writing) await this.writing;
      const step = nextStep(this.session, this.stepInputs());
      if (this.turn.isNeeded(step, this.session)) {
        // after any wait, the next step is decided again
        if (await this.turn.obtain(this.session)) continue;
        return 'parked';
      }
      this.startReporter.report(this.deps.events, this.play, this.session.takenAt);
      switch (step.kind) {
        case 'drop':
          await this.running.waitForAll();
          return step.reason;
        case 'renewLease':
          await this.deps.leases.renew([this]);
          if (!this.isProofFresh()) await this.deps.pause();
          break;
        case 'write':
          await this.store(step);
          break;
        case 'checkConditions':
          for (const position of step.positions) await this.check(position);
          break;
        case 'startLayers':
          await this.call(step.positions);
          break;
        case 'idle':
          await this.running.waitForChange(step.until && step.until.getTime() - this.deps.serverNow());
      }
    }
  }

  /** Awaits a single layer. Several layers run in parallel, also with layers that run or wait already. */
  private async call(positions: readonly number[]): Promise<void> {
    const { runningCalls, waits } = this.session;
    const beside = runningCalls.length > 0 || positions.length > 1 || Object.keys(waits).length > 0;
    this.session = onLayersStarted(this.session, positions, this.now());
    this.lazyTimer ??= setTimeout(() => this.beVisible(), this.deps.times.lazyMs);
    for (const position of positions) {
      const ended = this.perform(position);
      if (beside) this.running.add(ended);
      else await ended;
    }
  }

  private async perform(position: number): Promise<void> {
    const { outcome, out } = await this.layers.run(this.session, position);
    await this.writing;
    if (this.session.endReason !== null) return;
    if (outcome.kind === 'result') this.deps.events.layerEnded(this.layers.appIdOf(position), outcome.result.state);
    this.conclude(onLayerEnded(this.session, outcome), outcome, out);
  }

  private async check(position: number): Promise<void> {
    const ended = await this.layers.check(this.session, position);
    if (this.session.endReason !== null) return;
    const outcome = ended?.outcome ?? null;
    this.conclude(onConditionChecked(this.session, position, outcome), outcome, ended?.out);
  }

  private conclude(session: Session, outcome: LayerOutcome | null, out: unknown): void {
    this.layers.learn(session.unstoredResults.slice(this.session.unstoredResults.length), outcome, out);
    if (session.runningCalls.length === 0) this.layers.unload();
    this.session = session;
  }

  /** The calls of an unclaimed play take long: claims it, so that it has an owner and a lease and watchers see the layer run. */
  private beVisible(): void {
    if (this.session.endReason !== null || this.session.isClaimed) return;
    const step = this.writing ? null : decideLazyClaim(this.session, this.now());
    if (!step) {
      this.lazyTimer = setTimeout(() => this.beVisible(), LOOK_AGAIN_MS);
      return;
    }
    this.store(step)
      .catch((error: unknown) => this.end(String(error)))
      .finally(() => {
        this.running.wakeUp();
        // refused, but the play is still ours: a hold or a resume came between
        this.beVisible();
      });
  }

  /** What a loop, or a layer that works in steps, has done so far. @returns whether it is stored */
  private readonly keep = async (
    position: number,
    items: Session['doneItems'][string],
    of?: StoredStep,
  ): Promise<boolean> => {
    while (this.writing) await this.writing;
    const step = decideKeeping(this.session, position, items, this.now(), of);
    if (step) await this.store(step).catch((error: unknown) => this.end(String(error)));
    return this.session.doneItems[position] === items;
  };

  private async store(step: SessionWrite): Promise<void> {
    const writing = this.write(step).finally(() => (this.writing = null));
    this.writing = writing.catch(() => undefined);
    await writing;
  }

  private async write(step: SessionWrite): Promise<void> {
    const { deps } = this;
    const sentAtMs = performance.now();
    this.storing = true;
    this.writesSent += 1;
    const endsFor = ({ why }: UnstorableError) => unstorableEndWrites(this.session, why, this.now());
    const stored = await storeOrEnd(deps, this.owned.key, step, endsFor).finally(() => (this.storing = false));
    if (!stored) return this.reread(step.purpose);
    const [{ write, purpose }, before] = [stored.step, this.session];
    this.session = onWriteStored(before, stored.step);
    this.publisher.publishWrite(write, before.seq + write.log.length, stored.completedAt);
    this.turn.endIfPassed(this.session);
    // the play was ended instead: the results of its calls are not needed any more
    if (stored.step !== step) this.end(purpose);
    if (this.session.isClaimed && this.session.endReason === null) {
      this.onRenewed(sentAtMs);
      if (!before.isClaimed) this.keepLease();
    }
    if (purpose === 'handBack') deps.events.handedBack({ ...this.owned.key, epoch: before.epoch + 1 }, sentAtMs);
    if (purpose === 'final') reportEnd(deps.events, this.play, this.session.takenAt, write.set.state);
    const waiting = layersWaitingForPlays(stored.step);
    if (waiting.length > 0) deps.events.waitsForPlays(this.owned.key, waiting);
    if (beginsToAwaitEvents(stored.step)) deps.events.waitsForEvents(this.owned.key);
  }

  private async reread(purpose: Parameters<typeof onWriteRefused>[1]): Promise<void> {
    const sent = this.writesSent;
    const fresh = await this.deps.source.find(this.owned.key, this.room.grow);
    if (this.session.endReason !== null) return;
    // a write was sent meanwhile: its answer shows the state of the play, and this read may be older
    if (purpose === 'renew' && sent !== this.writesSent) return;
    const before = this.session;
    this.session = onWriteRefused(this.session, purpose, fresh);
    this.publisher.onPlayRead(fresh);
    this.turn.endIfPassed(this.session);
    this.nudge();
    // an earlier write had made this worker the owner, but its answer was lost
    if (this.session.isClaimed && !before.isClaimed && this.session.endReason === null) this.keepLease();
    const { seq, endReason } = this.session;
    const moved = purpose === 'renew' || seq !== before.seq;
    if (endReason === null && (moved || (await this.stalled.pause(seq, this.deps.pause)))) return;
    this.deps.events.lost(this.play, purpose, endReason ?? 'stalled');
    this.end(endReason ?? 'stalled');
  }

  private keepLease(): void {
    this.deps.leases.keep(this);
    this.handOut.onClaimed?.();
  }

  private end(reason: string): void {
    if (this.session.endReason === null) this.session = { ...this.session, endReason: reason };
    this.abort.abort(new Error(`this worker lost the play: ${reason}`));
    this.nudge();
  }

  private stepInputs() {
    const { redelivered, job } = this.handOut;
    const [isProofFresh, isStopping] = [this.isProofFresh(), this.deps.isStopping()];
    return { epoch: job.epoch, redelivered, ownerId: this.ownerId, isProofFresh, isStopping, at: this.now() };
  }

  /** For a layer that took long from its `call` to its effect, or has many: docs/protocol.md §3, rule 4, holds for each. */
  private readonly proven = (): true | Promise<boolean> => {
    if (this.session.endReason === null && this.isProofFresh()) return true;
    const renew = () => this.deps.leases.renew([this]);
    return this.proof.obtain(() => this.session, renew, this.deps.pause);
  };

  private readonly isProofFresh = () => this.proof.isFresh(this.session?.isClaimed === true);

  private now(): Date {
    return new Date(this.deps.serverNow());
  }
}
