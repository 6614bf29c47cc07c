import { admitWrite, type OpenPlay } from '@weft/engine';
import {
  decideAdmissions,
  type FailedWrite,
  type FlowGateRepository,
  type FlowKey,
  type OpenPlaysRepository,
} from '@weft/persistence';
import type { Doorbell } from './doorbell.js';
import type { RunWindow } from './run-window.js';

export interface FlowGatekeeperDeps {
  readonly gates: Pick<FlowGateRepository, 'read' | 'change' | 'release'>;
  readonly plays: Pick<OpenPlaysRepository, 'queued' | 'byIds' | 'writeEach'>;
  readonly doorbell: Pick<Doorbell, 'ring'>;
  readonly window: Pick<RunWindow, 'occupy'>;
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
      const [queue, plays] = await Promise.all([
        this.deps.plays.queued(flow, Math.min(limit, PAGE)),
        this.deps.plays.byIds(gate.holders, flow),
      ]);
      const decision = decideAdmissions({ limit, holders: gate.holders, plays, queue });
      if (!decision) return;
      if (!(await this.deps.gates.change(gate, decision.holders))) continue;
      const admitted = await this.letIn(flow, decision.admit);
      if (admitted === decision.admit.length && queue.length < PAGE) return;
      // a hold or a cancel came between: that play gives its place back
      thorough = true;
    }
  }

  private async letIn({ companyId }: FlowKey, plays: readonly OpenPlay[]): Promise<number> {
    if (plays.length === 0) return 0;
    const askedAtMs = performance.now();
    const at = new Date(this.deps.serverNow());
    const changes = plays.map((play) => ({ play, write: admitWrite(play, at) }));
    const { written: jobs, failed } = await this.deps.plays.writeEach(changes);
    const written = new Set(jobs.map((job) => job.playId));
    for (const { play, write } of changes) {
      if (written.has(play._id)) this.deps.announce(companyId, play._id, write.set.seq ?? play.seq);
    }
    // they count against the company's window: its other plays make room for them
    await this.deps.window.occupy(companyId, [...written]).catch(() => undefined);
    await this.deps.doorbell.ring(jobs, askedAtMs);
    if (failed.length > 0) await this.deps.onRefused(failed);
    return jobs.length;
  }
}
