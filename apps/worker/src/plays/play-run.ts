import {
  abandon,
  applied,
  called,
  calling,
  lazy,
  next,
  refused,
  take,
  type OwnedPlay,
  type Play,
  type PlayKey,
  type Session,
  type SessionWrite,
} from '@weft/engine';
import { Unloaded, type PreparedVersion } from '@weft/layers';
import type { HandOut } from '@weft/queue';
import type { LeasedRun } from '../lease/lease-keeper.js';
import type { PlayRunDeps } from './play-run-deps.js';

/** How often a refused write is read again at once before it waits a moment: majority reads may lag behind by a little. */
const REREAD_PAUSE_MS = 5;
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
  private prepared!: PreparedVersion;
  private readonly abort = new AbortController();
  private proofAtMs: number;
  private writing: Promise<void> | null = null;
  private readonly outputs = new Map<string, unknown>();
  private inlineBytes = 0;
  private inLane = false;
  private storing = false;
  private lazyTimer?: NodeJS.Timeout;

  constructor(
    private readonly handOut: HandOut,
    private readonly me: string,
    private readonly deps: PlayRunDeps,
  ) {
    this.proofAtMs = handOut.handedOutAtMs;
    this.owned = { key: this.key, owner: me };
  }

  /** Resolves with why it ended, in one word. */
  async run(): Promise<string> {
    const { deps } = this;
    try {
      const play = await deps.read(this.key);
      const prepared = play && (await deps.prepare(play));
      if (!play || !prepared) return 'missing';
      const session = take(play, this.facts(), prepared.plan);
      if ('drop' in session) return session.drop;
      this.session = session;
      this.play = play;
      this.prepared = prepared;
      for (const result of play.layers)
        this.remember(result.ref, result.outRef ? new Unloaded(result.outRef) : result.out, result.outBytes);
      return await this.drive();
    } finally {
      clearTimeout(this.lazyTimer);
      deps.leases.release(this);
      if (this.inLane) deps.suspects.leave();
    }
  }

  /** The grace is over: gives the play to the next worker, whatever runs here. */
  async giveUp(): Promise<void> {
    await this.writing;
    // between calls the run itself sees that the process stops, and hands the play back
    if (!this.session?.calling || this.session.over !== null) return;
    for (let attempt = 0; attempt < GIVE_UP_ATTEMPTS; attempt += 1) {
      const step = abandon(this.session, this.now());
      if (!step) break;
      this.writing = this.store(step).finally(() => {
        this.writing = null;
      });
      await this.writing;
    }
    this.end('stopped');
  }

  renewed(sentAtMs: number): void {
    this.proofAtMs = Math.max(this.proofAtMs, sentAtMs);
  }

  lost(): void {
    // a write on its way tells by itself what has become of the play
    if (!this.storing) void this.reread('renew').catch((error: unknown) => this.end(String(error)));
  }

  private get key(): PlayKey {
    return this.handOut.job;
  }

  private async drive(): Promise<string> {
    for (;;) {
      const step = next(this.session, this.facts());
      switch (step.kind) {
        case 'drop':
          return step.reason;
        case 'prove':
          await this.deps.leases.renew([this]);
          if (!this.proofFresh()) await this.deps.pause();
          break;
        case 'write':
          if (await this.waitInLane(step)) break;
          await this.store(step);
          break;
        case 'call':
          await this.call(step.position);
          break;
      }
    }
  }

  /** True when it had to wait, and what is to do must be asked anew. */
  private async waitInLane(step: SessionWrite): Promise<boolean> {
    const suspect = this.handOut.redelivered || this.session.crashes > 0;
    if (step.purpose !== 'claim' || !suspect || this.inLane) return false;
    await this.deps.suspects.enter();
    this.inLane = true;
    return true;
  }

  private async call(position: number): Promise<void> {
    const { deps } = this;
    this.session = calling(this.session, this.now());
    this.lazyTimer ??= setTimeout(() => this.beVisible(), deps.times.lazyMs);
    const { outcome, out } = await deps.layers.run({
      play: this.play,
      prepared: this.prepared,
      position,
      attempt: 1,
      wait: null,
      answer: null,
      outputs: this.outputs,
      inlineBytes: this.inlineBytes,
      signal: this.abort.signal,
      by: this.me,
    });
    await this.writing;
    if (this.session.over !== null) return;
    if (outcome.kind === 'wait') {
      const { kind, until } = outcome.wait;
      const state = kind === 'event' || kind === 'approval' ? 'WAIT' : 'DEFERRED';
      this.session = called(this.session, { kind: 'park', parking: { state, dueAt: until } });
      return;
    }
    const { result } = outcome;
    this.remember(result.ref, out, result.outRef ? 0 : result.outBytes);
    deps.onLayer(this.prepared.layers[position]?.definition.appId ?? '', result.state);
    this.session = called(this.session, { kind: 'result', result });
  }

  /** The play is in work for long and nobody owns it: it gets an owner and a lease, and watchers see the layer run. */
  private beVisible(): void {
    if (this.session.over !== null || this.session.claimed) return;
    const step = this.storing ? null : lazy(this.session, this.now());
    if (!step) {
      this.lazyTimer = setTimeout(() => this.beVisible(), LOOK_AGAIN_MS);
      return;
    }
    this.writing = this.store(step)
      .catch((error: unknown) => this.end(String(error)))
      .finally(() => {
        this.writing = null;
        // refused, and still ours: a hold or a resume came between
        this.beVisible();
      });
  }

  private async store(step: SessionWrite): Promise<void> {
    const { deps } = this;
    const sentAtMs = performance.now();
    this.storing = true;
    const stored = await deps.store.write(this.key, step.write).finally(() => {
      this.storing = false;
    });
    if (!stored) return this.reread(step.purpose);
    const before = this.session;
    this.session = applied(this.session, step);
    if (step.write.log.length > 0)
      deps.notices.announce(this.key.companyId, this.key.playId, step.write.set.seq ?? before.seq);
    if (this.session.claimed && this.session.over === null) {
      this.renewed(sentAtMs);
      if (!before.claimed) deps.leases.keep(this);
    }
    if (step.purpose === 'handBack') deps.ring({ ...this.key, epoch: before.epoch + 1 }, sentAtMs);
    if (step.purpose === 'final') deps.onFinal(this.play, step.write.set.state ?? 'FAIL', this.session.takenAt);
  }

  private async reread(purpose: Parameters<typeof refused>[1]): Promise<void> {
    const before = this.session;
    const fresh = await this.deps.reread(this.key);
    if (this.session.over !== null) return;
    this.session = refused(this.session, purpose, fresh);
    // a lost answer hid that a write of ours had made it the owner
    if (this.session.claimed && !before.claimed && this.session.over === null) this.deps.leases.keep(this);
    if (this.session.over !== null) {
      this.deps.onLost(purpose, this.session.over);
      this.end(this.session.over);
    } else if (this.session.seq === before.seq) {
      await this.deps.pause(REREAD_PAUSE_MS);
    }
  }

  private end(reason: string): void {
    if (this.session.over === null) this.session = { ...this.session, over: reason };
    this.abort.abort(new Error(`this worker lost the play: ${reason}`));
  }

  private remember(ref: string, out: unknown, inlineBytes: number): void {
    this.outputs.set(ref, out ?? null);
    this.inlineBytes += inlineBytes;
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

  private proofFresh(): boolean {
    const { times } = this.deps;
    const claimed = this.session?.claimed === true;
    return performance.now() - this.proofAtMs < (claimed ? times.leaseMs - times.leaseMarginMs : times.windowMs);
  }

  private now(): Date {
    return new Date(this.deps.serverNow());
  }
}
