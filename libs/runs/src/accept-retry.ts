import { payloadsOf, type Play } from '@weft/engine';
import { WeftError } from '@weft/kernel';
import { TenantScope, type PayloadStore } from '@weft/persistence';
import type { PlayAcceptance } from './play-acceptance.js';
import type { AcceptedRun } from './run-input.js';

interface RetryDeps {
  readonly payloads: Pick<PayloadStore, 'share' | 'letGo'> & {
    readonly userFiles: Pick<PayloadStore['userFiles'], 'shareAll'>;
  };
  readonly acceptance: Pick<PlayAcceptance, 'acceptPrepared'>;
}

/**
 * Accepts a play that takes over the finished layers of another play, including their large outputs.
 *
 * @param play made by `retryOf`
 * @returns null when one of those outputs is no longer stored: no play is made then
 * @throws WeftError `backlog_full`
 */
export async function acceptRetry(play: Play, { payloads, acceptance }: RetryDeps): Promise<AcceptedRun | null> {
  const scope = new TenantScope(play.company_id);
  // before the insert, so that the play never refers to a payload that may be deleted
  if (!(await payloads.share(scope, payloadsOf(play), play._id))) return null;
  if (play.retryOf !== undefined) await payloads.userFiles.shareAll(scope, play.retryOf, play._id);
  const accepted = await acceptance.acceptPrepared(play).catch(async (error: unknown) => {
    // certainly refused; any other error may mean that the answer was lost and the play is stored
    if (error instanceof WeftError) await payloads.letGo(scope, [play._id]);
    throw error;
  });
  if (accepted.replayed) await payloads.letGo(scope, [play._id]);
  return accepted;
}
