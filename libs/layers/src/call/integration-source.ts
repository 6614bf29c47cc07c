import { LayerFailure, type Connection, type LayerContext } from '../layer-module.js';
import { throwPlayLost } from './failure.js';
import type { LinkKind, RateLimit } from '@weft/shapes';
import type { LayerCall } from './layer-call.js';

/** How to use an integration link of a company now, or why it cannot be used. */
export type IntegrationAnswer =
  (Connection & { readonly rateLimit?: RateLimit | null }) | { readonly missing: true } | { readonly unusable: string };

/** Provides the credentials of layers. */
export interface IntegrationSource {
  connection(companyId: string, integrationId: string): Promise<IntegrationAnswer>;
  /** The link with another token than this one, which a peer has refused; null when there is no other. */
  renewed?(companyId: string, integrationId: string, refused: string): Promise<Connection | null>;
}

/** Of links that have a token which can be renewed; `bearer` are also those that an identity provider has connected. */
const WITH_TOKEN: ReadonlySet<LinkKind> = new Set(['bearer', 'oauth2', 'oauth2_client_credentials']);

/** For processes that call no services. */
export const NO_INTEGRATIONS: IntegrationSource = {
  connection: async () => ({ unusable: 'nothing is called here' }),
};

/**
 * The links of the play's company, for one call: it waits for a token no longer than the call may last. A fresh one may have
 * taken long, so whose the play is is asked again.
 */
export function integrationsOf(
  source: IntegrationSource,
  { play, proven }: Pick<LayerCall, 'play' | 'proven'>,
  signal: AbortSignal,
  /** Filled with the limits of the links that the call uses. */
  used: Map<string, RateLimit>,
): Pick<LayerContext, 'integrations' | 'connection'> {
  const renewed = async (integrationId: string, refused: string): Promise<Connection | null> => {
    const other = await orAborted(source.renewed?.(play.company_id, integrationId, refused) ?? NONE, signal);
    if (other && proven && !(await proven())) throwPlayLost();
    return other;
  };
  const connection = async (integrationId: string): Promise<Connection> => {
    const answer = await orAborted(source.connection(play.company_id, integrationId), signal);
    if (proven && !(await proven())) throwPlayLost();
    if ('secret' in answer) {
      if (answer.rateLimit) used.set(integrationId, answer.rateLimit);
      if (!source.renewed || !WITH_TOKEN.has(answer.kind ?? 'bearer')) return answer;
      return { ...answer, renewed: () => renewed(integrationId, answer.secret) };
    }
    if ('missing' in answer) {
      throw new LayerFailure('integration_not_found', `The company has no integration "${integrationId}".`);
    }
    throw new LayerFailure('integration_unusable', `The integration cannot be used: ${answer.unusable}.`);
  };
  return { connection, integrations: { accessToken: async (id) => (await connection(id)).secret } };
}

const NONE = Promise.resolve(null);

async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
