import { admitWrite, type OpenPlay } from '@weft/engine';
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
import type { Places } from './places.js';

export interface FlowGatekeeperDeps {
  readonly gates: Pick<FlowGateRepository, 'read' | 'change' | 'enter' | 'release'>;
  readonly plays: Pick<OpenPlaysRepository, 'queued' | 'byIds' | 'writeEach'>;
  readonly doorbell: Pick<Doorbell, 'ring'>;
  readonly places: Pick<Places, 'take' | 'giveBack'>;
  /** No flow has more plays in than a company may have rung, whatever its limit. */
  readonly windowSize: () => number;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  readonly announce: (companyId: string, playId: string, seq: number) => void;
  /** Admissions that could not be written; those plays keep their places until they are, or have ended. Throws: not now. */
  readonly onRefused: (failed: readonly FailedWrite[]) => void | Promise<void>;
}

/** Leaves such plays to the scheduler, which comes by every flow. */
export function leaveToScheduler(failed: readonly FailedWrite[]): void {
  for (const { error } of failed) throw error;
}

/** Admissions of one pass at most. */
const PAGE = 100;
/** A gate that others keep changing is left to them. */
const ATTEMPTS = 20;
/** Who was slower waits up to 2 to the power of this, in ms: many that end at once do not all try again at once. */
const LONGEST_PAUSE = 6;
/** Plays at the head of a queue that may have places already. */
const UNDER_WAY = 20;

type Next = 'done' | 'more' | 'others were faster' | 'sort out';

/**
 * Lets plays into flows with a concurrency limit, in order: first a place in the gate, then the admission, then the ring.
 * Any number of gatekeepers may do it side by side; one that dies in between leaves a place that the next one finds (a
 * play that is queued and has one) or a play that the reconciler rings for.
 */
export class FlowGatekeeper {
  /** Flows that are looked at here now; what is asked for meanwhile. */
  private readonly busy = new Map<string, 'no' | 'admit' | 'heal'>();

  constructor(private readonly deps: FlowGatekeeperDeps) {}

  /** Lets in who has room: after a play has joined the queue. Does nothing while the gate is full. */
  admit(flow: FlowKey): Promise<void> {
    return this.oneAtATime(flow, 'admit');
  }

  /** Also takes out who has ended without its worker saying so. */
  heal(flow: FlowKey): Promise<void> {
    return this.oneAtATime(flow, 'heal');
  }

  /** These plays have ended: their places go to the next ones. */
  async release(flow: FlowKey, playIds: readonly string[]): Promise<void> {
    await this.deps.gates.release(flow, playIds);
    await this.admit(flow);
  }

  private async oneAtATime(flow: FlowKey, what: 'admit' | 'heal'): Promise<void> {
    const asked = this.busy.get(flow.flowId);
    if (asked !== undefined) {
      if (asked !== 'heal') this.busy.set(flow.flowId, what);
      return;
    }
    try {
      for (let next: 'no' | 'admit' | 'heal' = what; next !== 'no'; next = this.busy.get(flow.flowId) ?? 'no') {
        this.busy.set(flow.flowId, 'no');
        await this.pass(flow, next === 'heal');
      }
    } finally {
      this.busy.delete(flow.flowId);
    }
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

  /** Lets the next ones in without a look at who is in: what it costs does not grow with the limit. */
  private async fill(flow: FlowKey, { holders }: FlowGate, limit: number): Promise<Next> {
    const inside = new Set(holders);
    const most = Math.min(limit - holders.length + UNDER_WAY, PAGE);
    const queue = await this.deps.plays.queued(flow, most);
    const next = queue.filter(({ _id }) => !inside.has(_id)).slice(0, limit - holders.length);
    // those that have places are let in just now, or their gatekeeper died: who heals comes by
    if (next.length === 0) return queue.length === most ? 'sort out' : 'done';
    const ids = next.map(({ _id }) => _id);
    const fresh = new Set(await this.deps.gates.enter(flow, ids, limit));
    if (fresh.size === 0) return 'others were faster';
    const admitted = await this.letIn(
      flow,
      next.filter(({ _id }) => fresh.has(_id)),
    );
    // a hold or a cancel came between: that play gives its place back
    if (admitted < fresh.size) return 'sort out';
    return queue.length < most ? 'done' : 'more';
  }

  /** The same after a look at all who are in: places of plays that have ended go to the next ones. */
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
    // who is let in and finds no room in the company's window is due, and goes on when there is
    const taken = await this.deps.places.take(
      companyId,
      plays.map((play) => play._id),
    );
    const changes = plays.map((play) => ({ play, write: admitWrite(play, at, taken.ids.has(play._id)) }));
    const { written: jobs, failed } = await this.deps.plays.writeEach(changes);
    const written = new Set(jobs.map((job) => job.playId));
    for (const { play, write } of changes) {
      if (written.has(play._id) && write.log.length > 0)
        this.deps.announce(companyId, play._id, write.set.seq ?? play.seq);
    }
    this.deps.places.giveBack(companyId, taken, written);
    await this.deps.doorbell.ring(
      jobs.filter(({ playId }) => taken.ids.has(playId)),
      askedAtMs,
    );
    if (failed.length > 0) await this.deps.onRefused(failed);
    return jobs.length;
  }
}
