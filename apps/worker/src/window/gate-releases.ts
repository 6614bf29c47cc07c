import type { FlowKey } from '@weft/persistence';
import type { FlowGatekeeper } from '@weft/queue';

interface Ended extends FlowKey {
  readonly playIds: string[];
}

/**
 * Releases the gate of a flow with a concurrency limit when its plays have ended, all plays of one flow together. The
 * scheduler finds plays that are not released here.
 */
export class GateReleases {
  private readonly pending = new Map<string, Ended>();

  constructor(
    private readonly gates: Pick<FlowGatekeeper, 'release'>,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Call it after the play's final write is acknowledged. */
  add(companyId: string, flowId: string, playId: string): void {
    const ended = this.pending.get(flowId);
    if (ended) {
      ended.playIds.push(playId);
      return;
    }
    const first: Ended = { companyId, flowId, playIds: [playId] };
    this.pending.set(flowId, first);
    setImmediate(() => {
      this.pending.delete(flowId);
      this.gates.release(first, first.playIds).catch(this.onError);
    });
  }
}
