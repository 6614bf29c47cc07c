import type { LayerDefinition } from '@weft/engine';
import type { ApiDocument } from '@weft/records';

/** The module whose layers call operations of APIs. */
export const OPERATION = 'operation';

/** Which state of which operation of this API a layer calls; null: none. */
export function operationOf(
  { appId, args }: LayerDefinition,
  { _id, key }: Pick<ApiDocument, '_id' | 'key'>,
): { readonly operation: string; readonly digest: string } | null {
  const { api, operation, digest } = args;
  if (appId !== OPERATION || (api !== _id && (key === null || api !== key))) return null;
  return typeof operation === 'string' && typeof digest === 'string' ? { operation, digest } : null;
}
