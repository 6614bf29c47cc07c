/** The services that modules can use, as the process provides them; a call sees only its company's part. */
import { EgressError, type EgressClient, type EgressDialer } from '@weft/egress';
import type { Play } from '@weft/engine';
import type { Sandbox } from '@weft/sandbox';
import type { AiUsage } from '../layer-module.js';
import type { CallGate } from './call-gate.js';
import { HeldMemory, type LoopMemory } from '../memory/held-memory.js';
import { NO_INTEGRATIONS, type IntegrationSource } from './integration-source.js';
import type { FileSource } from './layer-files.js';
import { NO_KV, type KvSource } from './kv-source.js';
import type { SessionPools } from '../sql/session-pools.js';
import { NO_PLAYS, type PlaysSource } from './plays-source.js';

export interface ModuleServices {
  readonly http: EgressClient;
  readonly sockets: EgressDialer;
  /** Null: no database is called here. */
  readonly databases: SessionPools | null;
  readonly integrations: IntegrationSource;
  readonly kv: KvSource;
  readonly plays: PlaysSource;
  /** Null: files are neither sent nor received here. */
  readonly files: FileSource | null;
  /** Asked before each request; null: every request may be made. */
  readonly gate: CallGate | null;
  /** What all calls of the process hold. */
  readonly memory: HeldMemory;
  /** The loop that a call belongs to. */
  readonly loop: LoopMemory | null;
  /** Runs what users wrote; the caller closes it. */
  readonly sandbox: Pick<Sandbox, 'run'>;
  /** Records what a model used. @returns dollars; null when the price is unknown */
  readonly accountAi: (use: AiUsage, companyId: string) => number | null;
  readonly steps: StepWatch;
}

/** What becomes of steps outside of their play. */
export interface StepWatch {
  /** Records that the call is about to be made, once for all times that it is made. It is not made before that. */
  aboutToCall(call: StepCall): Promise<void>;
  /** @param kind as in the name of the step */
  ended(kind: string, outcome: StepOutcome): void;
}

export type StepOutcome = 'done' | 'failed' | 'rejected';

/** A call of a tool that may change something. */
export interface StepCall {
  readonly play: Play;
  /** The ref of the layer. */
  readonly ref: string;
  readonly step: number;
  readonly tool: string;
  /** The same for every time that the call is made, also by a retry of the play. */
  readonly idempotencyKey: string;
}

/** A process gives the services that it has; the others refuse every call. */
export type GivenModuleServices = Pick<ModuleServices, 'http' | 'sandbox'> & Partial<ModuleServices>;

export function moduleServices(given: GivenModuleServices): ModuleServices {
  const { http, sandbox } = given;
  return {
    http,
    sandbox,
    sockets: given.sockets ?? NO_SOCKETS,
    databases: given.databases ?? null,
    integrations: given.integrations ?? NO_INTEGRATIONS,
    kv: given.kv ?? NO_KV,
    plays: given.plays ?? NO_PLAYS,
    files: given.files ?? null,
    gate: given.gate ?? null,
    memory: given.memory ?? new HeldMemory(),
    loop: null,
    accountAi: given.accountAi ?? (({ cost }) => cost),
    steps: given.steps ?? { aboutToCall: async () => undefined, ended: () => undefined },
  };
}

const NO_SOCKETS: EgressDialer = {
  dial: async ({ host }) => {
    throw new EgressError('destination_blocked', `${host} is not connected to here`);
  },
};
