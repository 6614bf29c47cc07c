import { SecretUnreadable, TokenUnusable, type IntegrationTokens } from '@weft/identity';
import type { IntegrationAnswer, IntegrationTokenSource } from '@weft/layers';
import { patiently } from '../plays/patience.js';

/** The integration links of MongoDB, as layers ask for them. */
export function storedIntegrations(tokens: IntegrationTokens, closing: () => boolean): IntegrationTokenSource {
  return {
    accessToken: async (companyId, integrationId): Promise<IntegrationAnswer> => {
      try {
        const token = await patiently(() => tokens.accessToken(companyId, integrationId), closing);
        return token === null ? { missing: true } : { token };
      } catch (error) {
        if (error instanceof TokenUnusable) return { unusable: error.message };
        // Where it lies is the operator's business, not the flow's.
        if (error instanceof SecretUnreadable) return { unusable: 'its stored token cannot be decrypted' };
        throw error;
      }
    },
  };
}
