import type { Principal } from '@weft/access';

/** A decision is kept this long, in addition to the caches of its sources. */
const DECISION_TTL_MS = 250;
const MAX_FLOWS = 1_000;

export interface FlowReadRights {
  /** @throws the error of MongoDB */
  mayReadFlow(caller: Principal, flowId: string): boolean | Promise<boolean>;
}

/** Which flows one reader may read, decided four times a second for each flow that has news. */
export class ReadableFlows {
  private readonly decided = new Map<string, { readonly mayRead: boolean; readonly at: number }>();
  /** Incremented by each change: an answer to a question from before a change is not kept. */
  private generation = 0;

  constructor(
    private readonly rights: FlowReadRights,
    private readonly monotonicMs: () => number,
  ) {}

  /** Forgets all decisions. */
  clear(): void {
    this.generation += 1;
    this.decided.clear();
  }

  /** A promise only when MongoDB must be queried; call it again when the promise has resolved. */
  mayRead(caller: Principal, flowId: string): boolean | Promise<unknown> {
    const now = this.monotonicMs();
    const known = this.decided.get(flowId);
    if (known && now - known.at < DECISION_TTL_MS) return known.mayRead;
    const mayRead = this.rights.mayReadFlow(caller, flowId);
    if (typeof mayRead === 'boolean') return this.keep(flowId, mayRead, now);
    const { generation } = this;
    return mayRead.then((answer) => {
      if (generation === this.generation) this.keep(flowId, answer, now);
    });
  }

  private keep(flowId: string, mayRead: boolean, at: number): boolean {
    if (this.decided.size >= MAX_FLOWS) this.decided.clear();
    this.decided.set(flowId, { mayRead, at });
    return mayRead;
  }
}
