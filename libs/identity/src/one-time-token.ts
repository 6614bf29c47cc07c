import { createHash, randomBytes } from 'node:crypto';
import type { OneTimeLinkDocument } from '@weft/records';

/** How long an invitation or a reset can be followed: docs/http-api.md §2. */
const LINK_LIFETIME_MS = 72 * 3_600_000;

/** The token is only in the link; the store gets its hash. */
export function newOneTimeLink(
  of: Pick<OneTimeLinkDocument, '_id' | 'user_id' | 'company_id' | 'company_ids' | 'kind' | 'created_by'>,
  nowMs: number,
): { readonly token: string; readonly link: OneTimeLinkDocument } {
  const token = randomBytes(32).toString('base64url');
  const times = { created_at: new Date(nowMs), expires_at: new Date(nowMs + LINK_LIFETIME_MS) };
  return { token, link: { ...of, token_hash: hashOneTimeToken(token), ...times } };
}

/** The hash under which a link is stored. */
export function hashOneTimeToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
