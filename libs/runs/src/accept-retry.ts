import { payloadsOf, type Play } from '@weft/engine';
import { WeftError } from '@weft/kernel';
import { TenantScope, type PayloadStore } from '@weft/persistence';
import type { PlayAcceptance } from './play-acceptance.js';
import type { AcceptedRun } from './run-input.js';

export interface RetryDeps {
  readonly payloads: Pick<PayloadStore, 'share' | 'letGo'> & {
    readonly userFiles: Pick<PayloadStore['userFiles'], 'shareAll'>;
  };
  readonly acceptance: Pick<PlayAcceptance, 'acceptPrepared'>;
}

export interface RetryTerms {
  /** No play is made when the play has a first retry: `wasRetried`. Default: as many retries as are asked for. */
  readonly onlyFirst?: boolean;
  /** Another process may be making a play with this id, too: what such a play refers to stays, whatever becomes of this one. */
  readonly hasSharedId?: boolean;
}

/**
 * Accepts a play that takes over the finished layers of another play, including their large outputs.
 *
 * @param play made by `retryOf`
 * @returns null when one of those outputs is no longer stored: no play is made then
 * @throws WeftError `backlog_full`
 */
export async function acceptRetry(
  play: Play,
  { payloads, acceptance }: RetryDeps,
  { onlyFirst = false, hasSharedId = false }: RetryTerms = {},
): Promise<AcceptedRun | null> {
  const scope = new TenantScope(play.company_id);
  // before the insert, so that the play never refers to a payload that may be deleted
  if (!(await payloads.share(scope, payloadsOf(play), play._id))) return null;
  if (play.retryOf !== undefined) await payloads.userFiles.shareAll(scope, play.retryOf, play._id);
  // of a shared id, `removeUnreferenced` takes the references off, if no play comes
  const letGo = async () => !hasSharedId && (await payloads.letGo(scope, [play._id]));
  const accepted = await insert(play, onlyFirst, acceptance).catch(async (error: unknown) => {
    // certainly refused; any other error may mean that the answer was lost and the play is stored
    if (error instanceof WeftError) await letGo();
    throw error;
  });
  if (accepted.replayed || accepted.wasRetried) await letGo();
  return accepted;
}

/** Each retry tries to be the first one, so that one that may only be the first is not made at the same time. */
async function insert(play: Play, onlyFirst: boolean, acceptance: RetryDeps['acceptance']): Promise<AcceptedRun> {
  const first = await acceptance.acceptPrepared({ ...play, firstRetry: true });
  return first.wasRetried && !onlyFirst ? acceptance.acceptPrepared(play) : first;
}
