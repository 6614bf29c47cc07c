import { ReadThroughCache, SingleFlight, type CacheView, type ProcessCache } from '@weft/concurrency';
import type { FlowUnderAccess } from '@weft/access';
import type { FlowSettings } from '@weft/contracts';
import type { Clock } from '@weft/kernel';
import {
  contentAt,
  isPublishedByHand,
  isUnpublished,
  SystemScope,
  TenantScope,
  type FlowRepository,
  type RunnableContent,
  type RunnableRow,
} from '@weft/persistence';
import type { ArgsSchema } from './args-schema/schema-faults.js';
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
  readonly argsSchema?: ArgsSchema | null;
  /** Its layers have pages, rounds or a loop over `run-flow`. */
  readonly hasSeries?: true;
  /** A layer of it reads `$link`. */
  readonly usesLink?: true;
  /** None of its versions was published yet (`settings.publish`): `version` is a draft. */
  readonly unpublished?: true;
  /** As in `FlowDocument`. */
  readonly unmarkedUpTo?: number;
}

/** A flow at the version that a run names. */
export interface NamedVersion {
  readonly flow: RunnableFlow;
  /** It was not published yet, or later than the published version, which took it back. */
  readonly isDraft: boolean;
}

interface KeptVersion {
  readonly content: RunnableContent;
  /** The flow as it was when the version was read: at most a second old. */
  readonly readFor: WeakRef<RunnableFlow>;
}

const ALL_COMPANIES = new SystemScope('the flow cache of the run path asks for the flows of all companies at once');

/** The flows that runs need, at most a second old (see `ReadThroughCache`). Unknown and deleted flows are not cached. */
export class FlowCache {
  /** Versions that runs have named, by `keyOf`. */
  private readonly versions: CacheView<KeptVersion>;
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
  async at(flow: RunnableFlow, version: number): Promise<NamedVersion | null> {
    if (version === flow.version && !flow.unpublished) return { flow, isDraft: false };
    const content = await this.contentOf(flow, version);
    if (!content) return null;
    const { unpublished, ...of } = flow;
    const isLater = unpublished ?? (isPublishedByHand(flow) && version > flow.version);
    const isDraft = isLater || isUnpublished(content, flow);
    return { flow: { ...of, ...contentAt(content, flow.settings) }, isDraft };
  }

  /** A version never changes, but for the note that it was published: one without it is read again with its flow. */
  private async contentOf(flow: RunnableFlow, version: number): Promise<RunnableContent | null> {
    const key = keyOf(flow, version);
    const known = this.versions.get(key);
    if (known && (known.readFor.deref() === flow || !isUnpublished(known.content, flow))) return known.content;
    return this.versionReads.run(key, async () => {
      const content = await this.flows.findRunnableContent(new TenantScope(flow.companyId), flow.id, version);
      if (content) this.versions.set(key, { content, readFor: new WeakRef(flow) });
      return content;
    });
  }

  /** Unsubscribes from the bus. */
  close(): void {
    this.stopListening();
  }
}

/** A version without a mark gets one when another version than this flow's is published. */
function keyOf({ id, version: published, unpublished }: RunnableFlow, version: number): string {
  return `${id}:${version}:${unpublished ? '' : published}`;
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
    ...(row.hasSeries && { hasSeries: row.hasSeries }),
    ...(row.usesLink && { usesLink: row.usesLink }),
    ...(row.unpublished && { unpublished: row.unpublished }),
    ...(row.unmarkedUpTo != null && { unmarkedUpTo: row.unmarkedUpTo }),
  };
}

/** The fields by which rights on a flow are decided. */
export function toFlowUnderAccess({ id, companyId, createdBy, groupId, restricted }: RunnableFlow): FlowUnderAccess {
  return { _id: id, company_id: companyId, createdBy, groupId, restricted };
}
