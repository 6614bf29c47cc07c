import type { Principal } from '@weft/access';

/** A right that was decided counts that long, besides what its sources keep. */
const DECIDED_MS = 250;
const FLOWS_MAX = 1_000;

export interface FlowRights {
  /** @throws what kept MongoDB from answering */
  mayReadFlow(caller: Principal, flowId: string): boolean | Promise<boolean>;
}

/** Which flows one reader may read, decided four times a second for each that has news. */
export class ReadableFlows {
  private readonly decided = new Map<string, { readonly may: boolean; readonly at: number }>();
  /** Rises with each change: an answer whose question was asked before one is not kept. */
  private generation = 0;

  constructor(
    private readonly rights: FlowRights,
    private readonly monotonicMs: () => number,
  ) {}

  /** Decided again before it is believed. */
  forget(): void {
    this.generation += 1;
    this.decided.clear();
  }

  /** A promise only when MongoDB must be asked; ask again when it has resolved. */
  may(caller: Principal, flowId: string): boolean | Promise<unknown> {
    const now = this.monotonicMs();
    const known = this.decided.get(flowId);
    if (known && now - known.at < DECIDED_MS) return known.may;
    const may = this.rights.mayReadFlow(caller, flowId);
    if (typeof may === 'boolean') return this.keep(flowId, may, now);
    const { generation } = this;
    return may.then((answer) => {
      if (generation === this.generation) this.keep(flowId, answer, now);
    });
  }

  private keep(flowId: string, may: boolean, at: number): boolean {
    if (this.decided.size >= FLOWS_MAX) this.decided.clear();
    this.decided.set(flowId, { may, at });
    return may;
  }
}
