import type { FactoryProvider } from '@nestjs/common';
import { SETTINGS, type Settings } from '@weft/config';
import { createEgressClient, createEgressDialer, type EgressClient, type EgressDialer } from '@weft/egress';
import { openOAuth } from '@weft/identity';
import { AFTER_REQUESTS, createIdSource, type Drainable } from '@weft/kernel';
import { LayerRunner, SessionPools, type GivenModuleServices, type LayerPayloads } from '@weft/layers';
import { HealthService, LOG, Metrics, Tracing } from '@weft/observability';
import {
  ChildPlaysRepository,
  EndedPlaysRepository,
  Mongo,
  PayloadStore,
  RetriesRepository,
  SystemScope,
} from '@weft/store';
import { FlowVersionRepository, KvRepository } from '@weft/records';
import { FlowCache, observePayloads, PlayAcceptance, storedIntegrations } from '@weft/runs';
import { Sandbox } from '@weft/sandbox';
import { randomInt } from 'node:crypto';
import type { Logger } from 'pino';
import { retryWhileUnavailable } from '../plays/store-retries.js';
import { DestinationGate } from '../destinations/destination-gate.js';
import { WorkerState } from '../worker-state.js';
import { AiUsageMeter } from './ai-usage-meter.js';
import { LayerStats } from './layer-stats.js';
import { AiReachability } from './ai-reachability.js';
import { childPlays } from './child-plays.js';
import { logFaults } from './log-faults.js';
import { observedLayers } from './observed-layers.js';
import { storedKv } from './stored-kv.js';
import { storedPayloads } from './stored-payloads.js';
import { stepWatch } from './step-watch.js';
import { tracedEgress } from './traced-egress.js';

/** Injects what calls layers: their modules with everything that this process has for them. */
export const LAYERS = Symbol('LAYERS');

/** The way out that layers use; its connections are closed when no play runs any more. */
export class LayerEgress implements Drainable {
  readonly drainOrder = AFTER_REQUESTS;
  readonly client: EgressClient;
  readonly sockets: EgressDialer;
  readonly databases: SessionPools;

  constructor(
    readonly settings: Settings,
    metrics: Metrics,
  ) {
    this.client = createEgressClient(settings.egress);
    this.sockets = createEgressDialer(settings.egress);
    this.databases = new SessionPools(this.sockets, (open) => metrics.sqlSessions(open));
  }

  drain(): Promise<void> {
    this.databases.close();
    return this.client.close();
  }
}

const WAITED_FOR = new SystemScope('a worker reads how plays of all companies ended that others wait for');

export const LAYER_EGRESS: FactoryProvider<LayerEgress> = {
  provide: LayerEgress,
  inject: [SETTINGS, Metrics],
  useFactory: (settings: Settings, metrics: Metrics) => new LayerEgress(settings, metrics),
};

/** What the modules of layers reach of the stores. */
export class LayerStores {
  constructor(
    readonly mongo: Mongo,
    readonly kv: KvRepository,
    readonly flows: FlowCache,
    readonly versions: FlowVersionRepository,
    readonly children: ChildPlaysRepository,
    readonly payloads: PayloadStore,
    readonly acceptance: PlayAcceptance,
    readonly retries: RetriesRepository,
  ) {}
}

export const LAYER_STORES: FactoryProvider<LayerStores> = {
  provide: LayerStores,
  inject: [
    Mongo,
    KvRepository,
    FlowCache,
    FlowVersionRepository,
    ChildPlaysRepository,
    PayloadStore,
    PlayAcceptance,
    RetriesRepository,
  ],
  useFactory: (...stores: ConstructorParameters<typeof LayerStores>) => new LayerStores(...stores),
};

/** What the modules of this process can use, and what watches their calls. */
export class LayerServices {
  constructor(
    readonly given: GivenModuleServices,
    readonly payloads: LayerPayloads,
    readonly serverNow: () => number,
    readonly aiWatch: AiReachability,
    readonly metrics: Metrics,
  ) {}
}

export const LAYER_SERVICES: FactoryProvider<LayerServices> = {
  provide: LayerServices,
  inject: [
    ...[LayerEgress, LayerStores, WorkerState, Sandbox, Metrics, HealthService, Tracing, LOG, DestinationGate],
    LayerStats,
  ],
  useFactory: (
    { client, sockets, databases, settings }: LayerEgress,
    { mongo, kv, flows, versions, children, payloads: stored, acceptance, retries }: LayerStores,
    { bootId, closing }: WorkerState,
    sandbox: Sandbox,
    metrics: Metrics,
    health: HealthService,
    tracing: Tracing,
    log: Logger,
    gate: DestinationGate,
    usage: LayerStats,
  ) => {
    const serverNow = () => mongo.serverNow();
    const endings = new EndedPlaysRepository(mongo, WAITED_FOR);
    const ai = new AiUsageMeter(settings.ai.prices, metrics);
    const aiWatch = new AiReachability(() => performance.now());
    health.add(aiWatch, { part: 'ai', fatal: false });
    const newId = createIdSource(() => Math.floor(serverNow()), randomInt(2 ** 32));
    const { integrationTokens } = openOAuth({ mongo, settings, http: client, processTag: bootId });
    const given: GivenModuleServices = {
      http: tracedEgress(client, tracing),
      gate,
      sandbox,
      sockets,
      databases,
      kv: storedKv(kv, newId, closing),
      accountAi: (use, companyId) => {
        const dollars = ai.account(use);
        usage.modelUsed(companyId, use.tokensIn + use.tokensOut, dollars);
        return dollars;
      },
      steps: stepWatch(mongo, metrics, closing),
      integrations: storedIntegrations(integrationTokens, (ask) => retryWhileUnavailable(ask, closing)),
      plays: childPlays({
        flows,
        acceptance,
        children,
        endings,
        payloads: stored,
        closing,
        versions,
        serverNow,
        retries,
      }),
    };
    const payloads = storedPayloads(
      new PayloadStore(mongo, {
        // a layer does not fail because MongoDB is unreachable when its call has ended
        retry: (step) => retryWhileUnavailable(step, closing),
        onWritten: observePayloads(metrics, log),
      }),
    );
    return new LayerServices(given, payloads, serverNow, aiWatch, metrics);
  },
};

export const LAYER_RUNNER: FactoryProvider<Pick<LayerRunner, 'run' | 'check' | 'discard'>> = {
  provide: LAYERS,
  inject: [LayerServices, Tracing, LOG],
  useFactory: ({ given, payloads, serverNow, aiWatch, metrics }: LayerServices, tracing: Tracing, log: Logger) => {
    const runner = new LayerRunner({ ...given, payloads, serverNow, onFault: logFaults(log) });
    return observedLayers(runner, {
      ...{ log, tracing, onEnd: (appId, code) => aiWatch.ended(appId, code) },
      onUnexpected: (flowId) => metrics.unexpectedAnswer(flowId),
    });
  },
};
