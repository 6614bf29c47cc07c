/** What of the world outside modules reach, as the process that runs them gives it; a call sees only its company's part. */
import type { EgressClient, MailClient } from '@weft/egress';
import type { AiUse } from '../layer-module.js';
import { NO_INTEGRATIONS, type IntegrationSource } from './integration-source.js';
import { NO_KV, type KvSource } from './kv-source.js';

export interface Outside {
  readonly http: EgressClient;
  readonly mail: MailClient;
  readonly integrations: IntegrationSource;
  readonly kv: KvSource;
  /** Counts what a model used. @returns dollars; null when nobody knows the price */
  readonly accountAi: (use: AiUse) => number | null;
}

/** A process says what it has; the rest is not there. */
export function outsideOf({ http, ...given }: Partial<Omit<Outside, 'http'>> & Pick<Outside, 'http'>): Outside {
  return {
    http,
    mail: given.mail ?? NO_MAIL,
    integrations: given.integrations ?? NO_INTEGRATIONS,
    kv: given.kv ?? NO_KV,
    accountAi: given.accountAi ?? (({ cost }) => cost),
  };
}

const sendsNothing = (): Promise<never> => Promise.reject(new Error('no mail is sent here'));
const NO_MAIL: MailClient = { send: sendsNothing, check: sendsNothing };
