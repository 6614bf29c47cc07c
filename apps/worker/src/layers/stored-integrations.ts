import { SecretUnreadable, TokenUnusable, type IntegrationTokens } from '@weft/identity';
import type { IntegrationAnswer, IntegrationSource } from '@weft/layers';
import { retryWhileUnavailable } from '../plays/store-retries.js';

/** The integration links in MongoDB, as layers read them. */
export function storedIntegrations(tokens: IntegrationTokens, closing: () => boolean): IntegrationSource {
  return {
    connection: async (companyId, integrationId): Promise<IntegrationAnswer> => {
      try {
        return (await retryWhileUnavailable(() => tokens.find(companyId, integrationId), closing)) ?? { missing: true };
      } catch (error) {
        if (error instanceof TokenUnusable) return { unusable: error.message };
        // Where it is stored is the operator's business, not the flow's.
        if (error instanceof SecretUnreadable) return { unusable: 'its stored token cannot be decrypted' };
        throw error;
      }
    },
    renewed: async (companyId, integrationId, refused) => {
      try {
        return await retryWhileUnavailable(() => tokens.renewed(companyId, integrationId, refused), closing);
      } catch (error) {
        if (error instanceof SecretUnreadable) return null;
        throw error;
      }
    },
  };
}
