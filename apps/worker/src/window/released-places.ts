import type { FlowKey } from '@weft/persistence';
import type { FlowGatekeeper } from '@weft/queue';

interface Ended extends FlowKey {
  readonly playIds: string[];
}

/**
 * Gives the places of plays that have ended in a flow with a concurrency limit to the next ones, those of one flow together.
 * A place that is not given back here is found by the scheduler.
 */
export class ReleasedPlaces {
  private readonly pending = new Map<string, Ended>();

  constructor(
    private readonly gates: Pick<FlowGatekeeper, 'release'>,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Call it after the play's final write was acknowledged. */
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
