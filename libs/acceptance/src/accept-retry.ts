import { payloadsOf, type Play } from '@weft/engine';
import { WeftError } from '@weft/kernel';
import { TenantScope, type PayloadStore } from '@weft/persistence';
import type { AcceptedRun, PlayAcceptance } from './play-acceptance.js';

interface RetryMeans {
  readonly payloads: Pick<PayloadStore, 'share' | 'letGo'>;
  readonly acceptance: Pick<PlayAcceptance, 'acceptPrepared'>;
}

/**
 * Accepts a play that takes over what another one has done, large outputs included.
 *
 * @param play made by `retryOf`
 * @returns null when some of that is not stored any more: there is no such play then
 * @throws WeftError `backlog_full`
 */
export async function acceptRetry(play: Play, { payloads, acceptance }: RetryMeans): Promise<AcceptedRun | null> {
  const scope = new TenantScope(play.company_id);
  // before the play is there: it never refers to what may go
  if (!(await payloads.share(scope, payloadsOf(play), play._id))) return null;
  const accepted = await acceptance.acceptPrepared(play).catch(async (error: unknown) => {
    // refused for certain; after a lost answer the play may be there
    if (error instanceof WeftError) await payloads.letGo(scope, [play._id]);
    throw error;
  });
  if (accepted.replayed) await payloads.letGo(scope, [play._id]);
  return accepted;
}
