import { CoalescingRunner } from '@weft/concurrency';
import { admitWrite, PlayWrite, type OpenPlay } from '@weft/engine';
import {
  decideAdmissions,
  type FailedWrite,
  type FlowGate,
  type FlowGateRepository,
  type FlowKey,
  type OpenPlaysRepository,
} from '@weft/persistence';
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Doorbell } from './doorbell.js';
import type { WindowRoom } from './window-room.js';

export interface FlowGatekeeperDeps {
  readonly gates: Pick<FlowGateRepository, 'read' | 'change' | 'enter' | 'release'>;
  readonly plays: Pick<OpenPlaysRepository, 'queued' | 'byIds' | 'writeEach'>;
  readonly doorbell: Pick<Doorbell, 'ring'>;
  readonly windowRoom: Pick<WindowRoom, 'take' | 'giveBack'>;
  /** A flow has at most as many admitted plays as a company may have rung for, whatever the flow's limit. */
  readonly windowSize: () => number;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  /** Publishes what a write added to a play's journal. */
  readonly announce: (play: OpenPlay, write: PlayWrite) => void;
}

/**
 * Handles admissions that could not be written. These plays keep their room in the gate until they are written or have
 * ended. Throws: not now.
 */
type HandleRefused = (failed: readonly FailedWrite[]) => void | Promise<void>;

/** Leaves such plays to the scheduler, which looks at every flow. */
function leaveToScheduler(failed: readonly FailedWrite[]): void {
  for (const { error } of failed) throw error;
}

/** The most admissions of one pass. */
const PAGE = 100;
/** After this many lost attempts, a gate is left to the processes that keep changing it. */
const ATTEMPTS = 20;
/**
 * The process that lost an attempt pauses for up to 2 to the power of this, in ms, so that many that lost do not all retry
 * at once.
 */
const LONGEST_PAUSE = 6;
/** How many plays at the head of a queue may already be admitted by the gate. */
const UNDER_WAY = 20;

type Next = 'done' | 'more' | 'others were faster' | 'sort out';

/**
 * Admits plays of flows with a concurrency limit, in order: first it adds the play to the gate, then it writes the
 * admission, then it rings. Any number of gatekeepers may do so in parallel. One that dies in between leaves a queued play
 * that is in the gate, which the next gatekeeper finds, or an admitted play, for which the reconciler rings.
 */
export class FlowGatekeeper {
  /** By flow. */
  private readonly passes = new CoalescingRunner<string, 'admit' | 'heal'>((earlier, later) =>
    earlier === 'heal' ? earlier : later,
  );

  private handleRefused: HandleRefused = leaveToScheduler;

  constructor(private readonly deps: FlowGatekeeperDeps) {}

  /** Sets what handles admissions that could not be written. Default: they are left to the scheduler. */
  onRefused(handle: HandleRefused): void {
    this.handleRefused = handle;
  }

  /**
   * Admits as many queued plays as there is room for. Called after a play has joined the queue. Does nothing while the gate
   * is full.
   */
  admit(flow: FlowKey): Promise<void> {
    return this.oneAtATime(flow, 'admit');
  }

  /** Also removes plays that have ended without a release by their worker. */
  heal(flow: FlowKey): Promise<void> {
    return this.oneAtATime(flow, 'heal');
  }

  /** These plays have ended: the next ones are admitted in their stead. */
  async release(flow: FlowKey, playIds: readonly string[]): Promise<void> {
    await this.deps.gates.release(flow, playIds);
    await this.admit(flow);
  }

  private oneAtATime(flow: FlowKey, what: 'admit' | 'heal'): Promise<void> {
    return this.passes.run(flow.flowId, what, (next) => this.pass(flow, next === 'heal'));
  }

  private async pass(flow: FlowKey, healing: boolean): Promise<void> {
    let thorough = healing;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const gate = await this.deps.gates.read(flow);
      const limit = Math.min(gate.limit ?? Number.POSITIVE_INFINITY, this.deps.windowSize());
      if (!thorough && gate.holders.length >= limit) return;
      const next =
        thorough || gate.rev === 0 ? await this.sortOut(flow, gate, limit) : await this.fill(flow, gate, limit);
      if (next === 'done') return;
      if (next === 'others were faster') await sleep(randomInt(2 ** Math.min(attempt + 2, LONGEST_PAUSE)));
      else thorough = next === 'sort out';
    }
  }

  /** Admits the next plays without reading those that are admitted: its cost does not grow with the limit. */
  private async fill(flow: FlowKey, { holders }: FlowGate, limit: number): Promise<Next> {
    const inside = new Set(holders);
    const most = Math.min(limit - holders.length + UNDER_WAY, PAGE);
    const queue = await this.deps.plays.queued(flow, most);
    const next = queue.filter(({ _id }) => !inside.has(_id)).slice(0, limit - holders.length);
    // those in the gate are being admitted right now, or their gatekeeper died: a healing pass admits them
    if (next.length === 0) return queue.length === most ? 'sort out' : 'done';
    const ids = next.map(({ _id }) => _id);
    const fresh = new Set(await this.deps.gates.enter(flow, ids, limit));
    if (fresh.size === 0) return 'others were faster';
    const admitted = await this.letIn(
      flow,
      next.filter(({ _id }) => fresh.has(_id)),
    );
    // a hold or a cancel came between: that play must leave the gate
    if (admitted < fresh.size) return 'sort out';
    return queue.length < most ? 'done' : 'more';
  }

  /** The same after reading all admitted plays: those that have ended leave the gate to the next ones. */
  private async sortOut(flow: FlowKey, gate: FlowGate, limit: number): Promise<Next> {
    const { holders } = gate;
    const [queue, plays] = await Promise.all([
      this.deps.plays.queued(flow, Math.min(limit, PAGE)),
      this.deps.plays.byIds(holders, flow),
    ]);
    const decision = decideAdmissions({ limit, holders, plays, queue });
    if (!decision) return 'done';
    if (!(await this.deps.gates.change(gate, decision.holders))) return 'others were faster';
    const admitted = await this.letIn(flow, decision.admit);
    return admitted === decision.admit.length && queue.length < PAGE ? 'done' : 'sort out';
  }

  private async letIn({ companyId }: FlowKey, plays: readonly OpenPlay[]): Promise<number> {
    if (plays.length === 0) return 0;
    const askedAtMs = performance.now();
    const at = new Date(this.deps.serverNow());
    // an admitted play that finds no room in the company's window is due, and continues when there is room
    const taken = await this.deps.windowRoom.take(
      companyId,
      plays.map((play) => play._id),
    );
    const changes = plays.map((play) => ({ play, write: admitWrite(play, at, taken.ids.has(play._id)) }));
    const { written: jobs, failed } = await this.deps.plays.writeEach(changes);
    const written = new Set(jobs.map((job) => job.playId));
    for (const { play, write } of changes) {
      if (written.has(play._id)) this.deps.announce(play, write);
    }
    this.deps.windowRoom.giveBack(companyId, taken, written);
    await this.deps.doorbell.ring(
      jobs.filter(({ playId }) => taken.ids.has(playId)),
      askedAtMs,
    );
    if (failed.length > 0) await this.handleRefused(failed);
    return jobs.length;
  }
}
