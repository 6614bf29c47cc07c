import {
  abandon,
  applied,
  called,
  calling,
  checked,
  lazy,
  next,
  refused,
  take,
  unstorableEnds,
  type LayerOutcome,
  type OwnedPlay,
  type Play,
  type Session,
  type SessionWrite,
  type UnstorableError,
} from '@weft/engine';
import type { HandOut } from '@weft/queue';
import type { LeasedRun } from '../lease/lease-keeper.js';
import { LayerWork } from './layer-work.js';
import { OwnershipProof } from './ownership-proof.js';
import type { PlayRunDeps } from './play-run-deps.js';
import { readyPlay } from './ready-play.js';
import { RunningCalls } from './running-calls.js';
import { StalledReads } from './stalled-reads.js';
import { storeOrEnd } from './store-or-end.js';
import { SuspectTurn } from './suspect-turn.js';
import { Beginning, tellEnd } from './tell-moments.js';
import { ToldJournal } from './told-journal.js';

/** Between two looks whether a play that is in work for long runs a layer now. */
const LOOK_AGAIN_MS = 20;
/** A hold or a resume may come between a hand-back and its write. */
const GIVE_UP_ATTEMPTS = 5;

/**
 * One play in one worker, from its hand-out to its end, its parking or its loss. Performs what the engine decides
 * (`next`), one write in flight at a time, and tells the engine what came of it.
 */
export class PlayRun implements LeasedRun {
  readonly owned: OwnedPlay;
  private session!: Session;
  private play!: Play;
  private readonly told: ToldJournal;
  private readonly abort = new AbortController();
  private readonly proof: OwnershipProof;
  /** The write on its way, and what is read when it was refused: whoever would write next waits for it. */
  private writing: Promise<void> | null = null;
  private readonly running = new RunningCalls();
  private readonly stalled = new StalledReads();
  private work!: LayerWork;
  readonly turn: SuspectTurn;
  private readonly beginning = new Beginning();
  private storing = false;
  private writesSent = 0;
  private lazyTimer?: NodeJS.Timeout;

  constructor(
    private readonly handOut: HandOut,
    private readonly me: string,
    private readonly deps: PlayRunDeps,
  ) {
    this.proof = new OwnershipProof(handOut.handedOutAtMs, deps.times);
    this.owned = { key: handOut.job, owner: me };
    this.told = new ToldJournal(deps.notices, handOut.job);
    this.turn = new SuspectTurn(deps.suspects, me, handOut.job.playId);
  }

  /** Resolves with why it ended, in one word. */
  async run(): Promise<string> {
    const { deps } = this;
    try {
      const ready = await readyPlay(this.handOut.job, this.told, deps);
      if (typeof ready === 'string') return ready;
      const { play, prepared } = ready;
      const session = take(play, this.facts(), prepared.plan);
      if ('drop' in session) return session.drop;
      this.session = session;
      this.play = play;
      const call = { signal: this.abort.signal, by: this.me, proven: () => this.proven() };
      this.work = new LayerWork(deps.layers, play, prepared, call, deps.progress);
      this.work.learn(session.results, null, null);
      return await deps.scope(play, this.handOut, () => this.drive());
    } catch (error) {
      // nothing of it goes on beside the next worker, nor is its lease renewed
      if (this.session) this.end(String(error));
      throw error;
    } finally {
      clearTimeout(this.lazyTimer);
      deps.leases.release(this);
      this.turn.leave();
    }
  }

  /** The grace is over: gives the play to the next worker, whatever runs here. */
  async giveUp(): Promise<void> {
    // between calls the run itself sees that the process stops, and hands the play back
    if (this.session?.over !== null || this.session.calls.length === 0) return;
    for (let attempt = 0; attempt < GIVE_UP_ATTEMPTS; attempt += 1) {
      while (this.writing) await this.writing;
      const step = abandon(this.session, this.now());
      if (!step) break;
      await this.store(step);
    }
    this.end('stopped');
  }

  /** The process stops, or the play changed: what rests or waits is to see it. */
  nudge(): void {
    this.running.nudge();
    this.turn.disturb();
  }

  /** Somebody changed the play: reads it again now, and lets go of it if it must. */
  look(): void {
    if (this.session) this.lost();
  }

  renewed(sentAtMs: number): void {
    this.proof.renewed(sentAtMs);
  }

  lost(): void {
    // a write on its way tells by itself what has become of the play
    if (!this.storing) void this.reread('renew').catch((error: unknown) => this.end(String(error)));
  }

  private async drive(): Promise<string> {
    for (;;) {
      while (this.writing) await this.writing;
      const step = next(this.session, this.facts());
      if (this.turn.isDue(step, this.session)) {
        // what is to be done next is asked anew after any wait
        if (await this.turn.isGiven(this.session)) continue;
        return 'parked';
      }
      this.beginning.tell(this.deps, this.play, this.session.takenAt);
      switch (step.kind) {
        case 'drop':
          await this.running.end();
          return step.reason;
        case 'prove':
          await this.deps.leases.renew([this]);
          if (!this.proofFresh()) await this.deps.pause();
          break;
        case 'write':
          await this.store(step);
          break;
        case 'check':
          for (const position of step.positions) await this.check(position);
          break;
        case 'call':
          await this.call(step.positions);
          break;
        case 'rest':
          await this.running.rest(step.until && step.until.getTime() - this.deps.serverNow());
      }
    }
  }

  /** One alone is waited for; several run beside each other, beside those that run, and beside those that wait. */
  private async call(positions: readonly number[]): Promise<void> {
    const { calls, waits } = this.session;
    const beside = calls.length > 0 || positions.length > 1 || Object.keys(waits).length > 0;
    this.session = calling(this.session, positions, this.now());
    this.lazyTimer ??= setTimeout(() => this.beVisible(), this.deps.times.lazyMs);
    for (const position of positions) {
      const ended = this.perform(position);
      if (beside) this.running.add(ended);
      else await ended;
    }
  }

  private async perform(position: number): Promise<void> {
    const { outcome, out } = await this.work.run(this.session, position);
    await this.writing;
    if (this.session.over !== null) return;
    if (outcome.kind === 'result') this.deps.onLayer(this.work.appIdOf(position), outcome.result.state);
    this.conclude(called(this.session, outcome), outcome, out);
  }

  private async check(position: number): Promise<void> {
    const ended = await this.work.check(this.session, position);
    if (this.session.over !== null) return;
    const outcome = ended?.outcome ?? null;
    this.conclude(checked(this.session, position, outcome), outcome, ended?.out);
  }

  private conclude(session: Session, outcome: LayerOutcome | null, out: unknown): void {
    this.work.learn(session.results.slice(this.session.results.length), outcome, out);
    if (session.calls.length === 0) this.work.unload();
    this.session = session;
  }

  /** The play is in work for long and nobody owns it: it gets an owner and a lease, and watchers see the layer run. */
  private beVisible(): void {
    if (this.session.over !== null || this.session.claimed) return;
    const step = this.writing ? null : lazy(this.session, this.now());
    if (!step) {
      this.lazyTimer = setTimeout(() => this.beVisible(), LOOK_AGAIN_MS);
      return;
    }
    this.store(step)
      .catch((error: unknown) => this.end(String(error)))
      .finally(() => {
        this.running.nudge();
        // refused, and still ours: a hold or a resume came between
        this.beVisible();
      });
  }

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
    const endsFor = ({ why }: UnstorableError) => unstorableEnds(this.session, why, this.now());
    const stored = await storeOrEnd(deps.store, this.owned.key, step, endsFor).finally(() => (this.storing = false));
    if (!stored) return this.reread(step.purpose);
    const { write, purpose } = stored;
    const before = this.session;
    this.session = applied(before, stored);
    this.told.wrote(write, before.seq + write.log.length);
    this.turn.passed(this.session);
    // its calls go on for nobody
    if (stored !== step) this.end(purpose);
    if (this.session.claimed && this.session.over === null) {
      this.renewed(sentAtMs);
      if (!before.claimed) deps.leases.keep(this);
    }
    if (purpose === 'handBack') deps.ring({ ...this.owned.key, epoch: before.epoch + 1 }, sentAtMs);
    if (purpose === 'final') tellEnd(deps, this.play, this.session.takenAt, write.set.state);
  }

  private async reread(purpose: Parameters<typeof refused>[1]): Promise<void> {
    const sent = this.writesSent;
    const fresh = await this.deps.reread(this.owned.key);
    if (this.session.over !== null) return;
    // a write that was sent meanwhile tells by itself what has become of the play; what was read may be older
    if (purpose === 'renew' && sent !== this.writesSent) return;
    const before = this.session;
    this.session = refused(this.session, purpose, fresh);
    this.told.learn(fresh);
    this.turn.passed(this.session);
    this.nudge();
    // a lost answer hid that a write of ours had made it the owner
    if (this.session.claimed && !before.claimed && this.session.over === null) this.deps.leases.keep(this);
    const { seq, over } = this.session;
    const moved = purpose === 'renew' || seq !== before.seq;
    if (over === null && (moved || (await this.stalled.pause(seq, this.deps.pause)))) return;
    this.deps.onLost(this.play, purpose, over ?? 'stalled');
    this.end(over ?? 'stalled');
  }

  private end(reason: string): void {
    if (this.session.over === null) this.session = { ...this.session, over: reason };
    this.abort.abort(new Error(`this worker lost the play: ${reason}`));
    this.nudge();
  }

  private facts() {
    return {
      epoch: this.handOut.job.epoch,
      redelivered: this.handOut.redelivered,
      me: this.me,
      proofFresh: this.proofFresh(),
      stopping: this.deps.stopping(),
      at: this.now(),
    };
  }

  /** For a layer that took long from its `call` to its effect, or has many of them: rule 4 holds for each. */
  private proven(): true | Promise<boolean> {
    return (this.session.over === null && this.proofFresh()) || this.prove();
  }

  private async prove(): Promise<boolean> {
    while (this.session.over === null && !this.proofFresh()) {
      // without an owner, the lazy write is on its way
      if (this.session.claimed) await this.deps.leases.renew([this]);
      if (!this.proofFresh()) await this.deps.pause();
    }
    return this.session.over === null;
  }

  private proofFresh(): boolean {
    return this.proof.isFresh(this.session?.claimed === true);
  }

  private now(): Date {
    return new Date(this.deps.serverNow());
  }
}
