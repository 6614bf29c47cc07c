export {
  EgressError,
  type EgressClient,
  type EgressErrorCode,
  type EgressRequest,
  type EgressResponse,
} from './egress-client.js';
export { createEgressClient, type EgressClientOptions } from './create-egress-client.js';
export type { EgressOpening } from './address-guard.js';
export type { ResolveHost } from './guarded-connector.js';
export { createMailClient } from './mail/create-mail-client.js';
export type { Mail, MailClient, MailReceipt, MailServer } from './mail/mail-client.js';
