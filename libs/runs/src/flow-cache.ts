import { ReadThroughCache, SingleFlight, type CacheView, type ProcessCache } from '@weft/concurrency';
import type { FlowUnderAccess } from '@weft/access';
import type { FlowSettings } from '@weft/shapes';
import type { Clock } from '@weft/kernel';
import { SystemScope, TenantScope } from '@weft/store';
import { contentAt, type FlowRepository, type RunnableContent, type RunnableRow } from '@weft/records';
import type { JsonSchema } from '@weft/json-schema';
import type { InvalidationBus } from '@weft/realtime-bus';

/** The fields of a flow that the run path reads before it accepts a play. */
export interface RunnableFlow {
  readonly id: string;
  readonly companyId: string;
  readonly version: number;
  readonly name: string;
  readonly key?: string | null;
  readonly enabled: boolean;
  readonly isBlueprint: boolean;
  readonly restricted: boolean;
  readonly createdBy: string;
  readonly groupId: string | null;
  readonly settings: FlowSettings;
  /** The condition for runs; it can also read the flow's `blueprintVars`. */
  readonly when: string | null;
  readonly blueprintVars?: Readonly<Record<string, string>> | null;
  /** JSON Schema of the args of runs. */
  readonly argsSchema?: JsonSchema | null;
  /** None of its versions was published yet (`settings.publish`): `version` is a draft. */
  readonly unpublished?: true;
}

const ALL_COMPANIES = new SystemScope('the flow cache of the run path asks for the flows of all companies at once');

/** The flows that runs need, at most a second old (see `ReadThroughCache`). Unknown and deleted flows are not cached. */
export class FlowCache {
  /** Versions that runs have named. They never change. */
  private readonly versions: CacheView<RunnableContent>;
  private readonly versionReads = new SingleFlight<string, RunnableContent | null>();
  private readonly reads: ReadThroughCache<RunnableFlow>;
  private readonly stopListening: () => void;

  constructor(
    private readonly flows: Pick<FlowRepository, 'findRunnable' | 'findRunnableContent'>,
    clock: Pick<Clock, 'monotonicMs'>,
    bus: Pick<InvalidationBus, 'on'>,
    cache: ProcessCache,
  ) {
    this.reads = new ReadThroughCache({
      ask: async (ids) =>
        new Map((await flows.findRunnable(ALL_COMPANIES, ids)).map((row) => [row._id, toRunnable(row)])),
      monotonicMs: () => clock.monotonicMs(),
      memory: cache.of('flow_definitions'),
    });
    this.versions = cache.of('flow_definitions');
    this.stopListening = bus.on('flow', (id) => {
      this.reads.drop(id);
      this.versionReads.detach();
    });
  }

  /** The company's flow; null when it does not exist or was deleted. A promise only when MongoDB must be read. */
  get(scope: TenantScope, flowId: string): RunnableFlow | null | Promise<RunnableFlow | null> {
    const flow = this.reads.get(flowId);
    return flow instanceof Promise ? flow.then((found) => ofCompany(found, scope)) : ofCompany(flow, scope);
  }

  /** The flow as runs of one of its versions need it; null: it has no such version. */
  async at(flow: RunnableFlow, version: number): Promise<RunnableFlow | null> {
    const content = await this.contentOf(flow, version);
    if (!content) return null;
    const { unpublished: _unpublished, ...of } = flow;
    return { ...of, ...contentAt(content, flow.settings) };
  }

  private async contentOf({ id, companyId }: RunnableFlow, version: number): Promise<RunnableContent | null> {
    const key = `${id}:${version}`;
    return (
      this.versions.get(key) ??
      this.versionReads.run(key, async () => {
        const content = await this.flows.findRunnableContent(new TenantScope(companyId), id, version);
        if (content) this.versions.set(key, content);
        return content;
      })
    );
  }

  /** Unsubscribes from the bus. */
  close(): void {
    this.stopListening();
  }
}

function ofCompany(flow: RunnableFlow | undefined, scope: TenantScope): RunnableFlow | null {
  return flow?.companyId === scope.companyId ? flow : null;
}

function toRunnable(row: RunnableRow): RunnableFlow {
  return {
    id: row._id,
    companyId: row.company_id,
    version: row.version,
    name: row.name,
    ...(row.key != null && { key: row.key }),
    enabled: row.enabled,
    isBlueprint: row.isBlueprint,
    restricted: row.restricted,
    createdBy: row.createdBy,
    groupId: row.groupId,
    settings: row.settings,
    when: row.when,
    blueprintVars: row.blueprintVars,
    ...(row.argsSchema && { argsSchema: row.argsSchema }),
    ...(row.unpublished && { unpublished: row.unpublished }),
  };
}

/** The fields by which rights on a flow are decided. */
export function toFlowUnderAccess({ id, companyId, createdBy, groupId, restricted }: RunnableFlow): FlowUnderAccess {
  return { _id: id, company_id: companyId, createdBy, groupId, restricted };
}
