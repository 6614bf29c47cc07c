import { payloadsOf, type Play } from '@weft/engine';
import { WeftError } from '@weft/kernel';
import { TenantScope, type PayloadStore } from '@weft/store';
import type { PlayAcceptance } from './play-acceptance.js';
import type { AcceptedRun } from './run-input.js';

export interface RetryDeps {
  readonly payloads: Pick<PayloadStore, 'share' | 'letGo'> & {
    readonly userFiles: Pick<PayloadStore['userFiles'], 'shareAll'>;
  };
  readonly acceptance: Pick<PlayAcceptance, 'acceptPrepared'>;
}

/**
 * Accepts a play that takes over the finished layers of another play, including their large outputs.
 *
 * @param play made by `retryOf`
 * @param hasSharedId another process may be making a play with this id, too: what such a play refers to stays, whatever becomes of
 * this one
 * @returns `replayed`: with the retry that the other play has already, or with the play that holds the key · null when one of those outputs is no longer stored: no play is made then
 * @throws WeftError `backlog_full`
 */
export async function acceptRetry(
  play: Play,
  { payloads, acceptance }: RetryDeps,
  { hasSharedId = false }: { readonly hasSharedId?: boolean } = {},
): Promise<AcceptedRun | null> {
  const scope = new TenantScope(play.company_id);
  // before the insert, so that the play never refers to a payload that may be deleted
  if (!(await payloads.share(scope, payloadsOf(play), play._id))) return null;
  if (play.retryOf !== undefined) await payloads.userFiles.shareAll(scope, play.retryOf, play._id);
  // of a shared id, `removeUnreferenced` takes the references off, if no play comes
  const letGo = async () => !hasSharedId && (await payloads.letGo(scope, [play._id]));
  const accepted = await acceptance.acceptPrepared(play).catch(async (error: unknown) => {
    // certainly refused; any other error may mean that the answer was lost and the play is stored
    if (error instanceof WeftError) await letGo();
    throw error;
  });
  if (accepted.replayed) await letGo();
  return accepted;
}
