import { Module, type FactoryProvider } from '@nestjs/common';
import { SETTINGS, type Settings } from '@weft/config';
import { PROTOCOL_TIMES } from '@weft/engine';
import { IdentityModule, PlayLinks } from '@weft/identity';
import { LOG, warnRarely } from '@weft/observability';
import { ProcessCache } from '@weft/concurrency';
import { MongoPlayStore } from '@weft/store';
import { ApiRepository, CompanyRepository, FlowVersionRepository, OperationFaces } from '@weft/records';
import { EVENT_DELIVERY, RunsModule, SCHEDULED_RUN_AUTHORIZER } from '@weft/runs';
import type { Logger } from 'pino';
import { DESTINATION_GATE, DESTINATION_STORES } from './destinations/destination-gate.provider.js';
import { FacesInUse } from './layers/faces-in-use.js';
import { FlowVersions } from './layers/flow-versions.js';
import { LAYER_EGRESS, LAYER_RUNNER, LAYER_STORES } from './layers/layer-runner.provider.js';
import { LeaseKeeper } from './lease/lease-keeper.js';
import { PlayWorker } from './play-worker.js';
import { PlayEvents } from './plays/play-events.js';
import { PlayExecutor } from './plays/play-executor.js';
import { PlaySource } from './plays/play-source.js';
import { SuspectLane } from './plays/suspect-lane.js';
import { WorkerState } from './worker-state.js';

/** The share of slots that suspects may hold while they wait for their turn. */
const SEATS_A_SLOT = 1 / 8;

const FLOW_VERSIONS: FactoryProvider<FlowVersions> = {
  provide: FlowVersions,
  inject: [FlowVersionRepository, CompanyRepository, ProcessCache, SETTINGS, OperationFaces, ApiRepository],
  useFactory: (
    versions: FlowVersionRepository,
    companies: CompanyRepository,
    cache: ProcessCache,
    settings: Settings,
    operations: OperationFaces,
    apis: ApiRepository,
  ) => {
    const links = new PlayLinks(settings);
    const faces = new FacesInUse(operations, apis, cache.of('module_definitions'));
    return new FlowVersions(versions, companies, cache.of('flow_definitions'), (of) => links.urlOf(of), faces);
  },
};

const LEASE_KEEPER: FactoryProvider<LeaseKeeper> = {
  provide: LeaseKeeper,
  inject: [MongoPlayStore, LOG],
  useFactory: (store: MongoPlayStore, log: Logger) =>
    new LeaseKeeper(store, PROTOCOL_TIMES.renewMs, warnRarely(log, 'worker', 'could not renew leases')),
};

const SUSPECT_LANE: FactoryProvider<SuspectLane> = {
  provide: SuspectLane,
  inject: [SETTINGS],
  useFactory: ({ worker }: Settings) => new SuspectLane({ seats: Math.floor(worker.slots * SEATS_A_SLOT) }),
};

/** Executes plays. A write whose outcome is unknown is repeated until MongoDB says whether it was applied. */
@Module({
  imports: [RunsModule.with({ outcomePatienceMs: Number.POSITIVE_INFINITY }), IdentityModule],
  providers: [
    WorkerState,
    ...[
      FLOW_VERSIONS,
      LEASE_KEEPER,
      SUSPECT_LANE,
      DESTINATION_STORES,
      DESTINATION_GATE,
      LAYER_EGRESS,
      LAYER_STORES,
      LAYER_RUNNER,
    ],
    SCHEDULED_RUN_AUTHORIZER,
    EVENT_DELIVERY,
    PlaySource,
    PlayEvents,
    PlayExecutor,
    PlayWorker,
  ],
})
export class WorkerModule {}
