import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { InvalidationBus } from '@weft/realtime-bus';
import { CLOCK } from '@weft/host';
import type { FlowSettings } from '@weft/contracts';
import type { Clock } from '@weft/kernel';
import { FlowRepository, SystemScope, type RunnableRow, type TenantScope } from '@weft/persistence';
import { LRUCache } from 'lru-cache';

/** What the run path needs to know of a flow before it accepts a play. */
export interface RunnableFlow {
  readonly id: string;
  readonly companyId: string;
  readonly version: number;
  readonly name: string;
  readonly enabled: boolean;
  readonly isBlueprint: boolean;
  readonly restricted: boolean;
  readonly createdBy: string;
  readonly groupId: string | null;
  readonly settings: FlowSettings;
}

/** A flow's change is effective here after at most this, also while Redis is down. */
export const FRESH_MS = 1_000;

const MAX_FLOWS = 20_000;

const ACROSS = new SystemScope('the flow cache of the run path asks for the flows of all companies at once');

interface Entry {
  readonly flow: RunnableFlow;
  /** Monotonic, from before the query was sent. */
  readonly askedAt: number;
}

interface Waiter {
  readonly resolve: (flow: RunnableFlow | null) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Flows on the run path: answered from memory while younger than a second, else by one query for all flows that are due,
 * one query at a time. Unknown and deleted flows are not remembered.
 */
@Injectable()
export class FlowCache implements OnModuleDestroy {
  private readonly entries = new LRUCache<string, Entry>({ max: MAX_FLOWS });
  private due = new Map<string, Waiter[]>();
  private asking = false;
  /** Ids that were changed while a query was on its way: its answer about them may be from before. */
  private readonly changed = new Set<string>();
  private readonly stopListening: () => void;

  constructor(
    @Inject(FlowRepository) private readonly flows: Pick<FlowRepository, 'findRunnable'>,
    @Inject(CLOCK) private readonly clock: Pick<Clock, 'monotonicMs'>,
    @Inject(InvalidationBus) bus: Pick<InvalidationBus, 'on'>,
  ) {
    this.stopListening = bus.on('flow', (id) => this.drop(id));
  }

  /** The company's flow, null when it has none with this id or it was deleted. A promise only when MongoDB must be asked. */
  get(scope: TenantScope, flowId: string): RunnableFlow | null | Promise<RunnableFlow | null> {
    const entry = this.entries.get(flowId);
    if (entry && this.clock.monotonicMs() - entry.askedAt < FRESH_MS) return ofCompany(entry.flow, scope);
    return this.load(flowId).then((flow) => ofCompany(flow, scope));
  }

  onModuleDestroy(): void {
    this.stopListening();
  }

  private drop(flowId: string): void {
    this.entries.delete(flowId);
    if (this.asking) this.changed.add(flowId);
  }

  private load(flowId: string): Promise<RunnableFlow | null> {
    return new Promise((resolve, reject) => {
      const waiters = this.due.get(flowId);
      if (waiters) waiters.push({ resolve, reject });
      else this.due.set(flowId, [{ resolve, reject }]);
      if (!this.asking) {
        this.asking = true;
        queueMicrotask(() => void this.askAll());
      }
    });
  }

  private async askAll(): Promise<void> {
    while (this.due.size > 0) {
      const batch = this.due;
      this.due = new Map();
      this.changed.clear();
      const askedAt = this.clock.monotonicMs();
      try {
        const rows = await this.flows.findRunnable(ACROSS, [...batch.keys()]);
        this.settle(batch, new Map(rows.map((row) => [row._id, toRunnable(row)])), askedAt);
      } catch (error) {
        for (const waiters of batch.values()) for (const waiter of waiters) waiter.reject(error);
      }
    }
    this.asking = false;
  }

  private settle(
    batch: ReadonlyMap<string, Waiter[]>,
    found: ReadonlyMap<string, RunnableFlow>,
    askedAt: number,
  ): void {
    for (const [flowId, waiters] of batch) {
      const flow = found.get(flowId) ?? null;
      if (flow === null) this.entries.delete(flowId);
      else if (!this.changed.has(flowId)) this.entries.set(flowId, { flow, askedAt });
      for (const waiter of waiters) waiter.resolve(flow);
    }
  }
}

function ofCompany(flow: RunnableFlow | null, scope: TenantScope): RunnableFlow | null {
  return flow?.companyId === scope.companyId ? flow : null;
}

function toRunnable(row: RunnableRow): RunnableFlow {
  return {
    id: row._id,
    companyId: row.company_id,
    version: row.version,
    name: row.name,
    enabled: row.enabled,
    isBlueprint: row.isBlueprint,
    restricted: row.restricted,
    createdBy: row.createdBy,
    groupId: row.groupId,
    settings: row.settings,
  };
}
