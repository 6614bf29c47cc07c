import { SecretUnreadable, TokenUnusable, type IntegrationTokens } from '@weft/identity';
import type { IntegrationAnswer, IntegrationSource } from '@weft/layers';

type Tokens = Pick<IntegrationTokens, 'find' | 'renewed'>;

/**
 * The integration links in MongoDB, as layers read them.
 *
 * @param withRetries asks again where MongoDB is unreachable; default: it fails then
 */
export function storedIntegrations(
  tokens: Tokens,
  withRetries: <T>(ask: () => Promise<T>) => Promise<T> = (ask) => ask(),
): IntegrationSource {
  return {
    connection: async (companyId, integrationId): Promise<IntegrationAnswer> => {
      try {
        return (await withRetries(() => tokens.find(companyId, integrationId))) ?? { missing: true };
      } catch (error) {
        if (error instanceof TokenUnusable) return { unusable: error.message };
        // Where it is stored is the operator's business, not the flow's.
        if (error instanceof SecretUnreadable) return { unusable: 'its stored token cannot be decrypted' };
        throw error;
      }
    },
    renewed: async (companyId, integrationId, refused) => {
      try {
        return await withRetries(() => tokens.renewed(companyId, integrationId, refused));
      } catch (error) {
        if (error instanceof SecretUnreadable) return null;
        throw error;
      }
    },
  };
}
