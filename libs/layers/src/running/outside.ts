/** What of the world outside modules reach, as the process that runs them gives it; a call sees only its company's part. */
import { EgressError, type EgressClient, type EgressDialer } from '@weft/egress';
import type { Sandbox } from '@weft/sandbox';
import type { AiUse } from '../layer-module.js';
import { NO_INTEGRATIONS, type IntegrationSource } from './integration-source.js';
import { NO_KV, type KvSource } from './kv-source.js';
import { NO_PLAYS, type PlaysSource } from './plays-source.js';

export interface Outside {
  readonly http: EgressClient;
  readonly sockets: EgressDialer;
  readonly integrations: IntegrationSource;
  readonly kv: KvSource;
  readonly plays: PlaysSource;
  /** Whose processes run what users wrote; the caller closes it. */
  readonly sandbox: Pick<Sandbox, 'run'>;
  /** Counts what a model used. @returns dollars; null when nobody knows the price */
  readonly accountAi: (use: AiUse) => number | null;
}

/** A process says what it has; the rest is not there. */
export type GivenOutside = Pick<Outside, 'http' | 'sandbox'> & Partial<Outside>;

export function outsideOf(given: GivenOutside): Outside {
  const { http, sandbox } = given;
  return {
    http,
    sandbox,
    sockets: given.sockets ?? NO_SOCKETS,
    integrations: given.integrations ?? NO_INTEGRATIONS,
    kv: given.kv ?? NO_KV,
    plays: given.plays ?? NO_PLAYS,
    accountAi: given.accountAi ?? (({ cost }) => cost),
  };
}

const NO_SOCKETS: EgressDialer = {
  dial: async ({ host }) => {
    throw new EgressError('destination_blocked', `${host} is not connected to here`);
  },
};
