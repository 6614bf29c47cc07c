import { createHash, randomBytes } from 'node:crypto';
import type { OneTimeLinkDocument } from '@weft/persistence';

/** How long an invitation or a reset can be followed: contract §2. */
const LINK_LIFETIME_MS = 72 * 3_600_000;

/** The token is for the link alone: the store gets its hash. */
export function newOneTimeLink(
  of: Pick<OneTimeLinkDocument, '_id' | 'user_id' | 'company_id' | 'company_ids' | 'kind' | 'created_by'>,
  nowMs: number,
): { readonly token: string; readonly link: OneTimeLinkDocument } {
  const token = randomBytes(32).toString('base64url');
  const times = { created_at: new Date(nowMs), expires_at: new Date(nowMs + LINK_LIFETIME_MS) };
  return { token, link: { ...of, token_hash: hashOneTimeToken(token), ...times } };
}

/** What the store knows a link by. */
export function hashOneTimeToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
