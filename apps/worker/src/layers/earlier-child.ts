/** The child play that a layer of a retry has started already, in an earlier play of its chain. */
import { acceptRetry, type PlayAcceptance, type RunnableFlow } from '@weft/runs';
import { isFinal } from '@weft/contracts';
import { decideRetry, retryOf, type Play } from '@weft/engine';
import { LayerFailure } from '@weft/layers';
import {
  TenantScope,
  type ChildPlaysRepository,
  type FlowVersionRepository,
  type PayloadStore,
} from '@weft/persistence';
import { setTimeout as sleep } from 'node:timers/promises';

export interface EarlierChildDeps {
  readonly acceptance: Pick<PlayAcceptance, 'acceptPrepared' | 'nextPlayId'>;
  readonly children: Pick<ChildPlaysRepository, 'childOf' | 'retried' | 'retryByUser'>;
  readonly versions: Pick<FlowVersionRepository, 'find'>;
  readonly payloads: Pick<PayloadStore, 'share' | 'letGo' | 'userFiles'>;
  readonly serverNow: () => number;
}

/** The parent of the new play, and whether it waits for the play. */
type ChildFields = Required<Pick<Play, 'parentPlayId' | 'parent' | 'triggeredBy' | 'priority'>> & {
  readonly parentPending?: true;
  readonly loopPending?: true;
};

/** Longer chains are searched no further. */
const MOST_LINKS = 100;

/**
 * The play that this layer has started in the latest play of the chain that has one. If that has failed and users have retried it
 * by itself, the newest of these retries: what it did is not done again.
 */
export async function earlierChild(
  { _id, company_id, retryOf: before, chain }: Play,
  flowId: string,
  { layer, item }: { readonly layer: number; readonly item?: number | undefined },
  { children }: Pick<EarlierChildDeps, 'children'>,
): Promise<Play | null> {
  const scope = new TenantScope(company_id);
  let link: string | undefined = chain && before;
  for (let i = 0; link !== undefined && i < MOST_LINKS; i += 1) {
    const child = await children.childOf(scope, flowId, link, layer, item);
    if (child) return newestRetry(child, scope, children);
    link = link === chain?.first || link === _id ? undefined : ((await children.retried(scope, link)) ?? undefined);
  }
  return null;
}

async function newestRetry(
  child: Play,
  scope: TenantScope,
  children: Pick<ChildPlaysRepository, 'retryByUser'>,
): Promise<Play> {
  let newest = child;
  for (let i = 0; newest.state === 'FAIL' && i < MOST_LINKS; i += 1) {
    const retry = await children.retryByUser(scope, newest._id);
    if (!retry) break;
    newest = retry;
  }
  return newest;
}

/**
 * Whether the child is taken over: it did not fail, or it still runs and the parent does not wait. @throws LayerFailure
 * `child_running`
 */
export function isEnough(child: Play, awaited: boolean): boolean {
  if (isFinal(child.state)) return child.state !== 'FAIL';
  if (!awaited) return true;
  const message = `The play ${child._id}, which this layer started before the retry, has not ended, and a second one would do the same again: wait for its end or cancel it, then retry once more.`;
  throw new LayerFailure('child_running', message);
}

/**
 * A retry of a child that failed, for the layer of its parent's retry. Null when that is impossible: its flow changed, or
 * its results are no longer stored.
 */
export async function retryChild(
  failed: Play,
  flow: RunnableFlow,
  fields: ChildFields,
  { acceptance, versions, payloads, serverNow }: EarlierChildDeps,
): Promise<{ readonly play: Play; readonly wasThere?: true } | null> {
  if (failed.version !== flow.version) return null;
  const decision = decideRetry(failed, new Date(serverNow()));
  if (decision.kind === 'refuse') return null;
  if (decision.kind === 'later') await sleep(decision.waitMs);
  const version = await versions.find(new TenantScope(failed.company_id), failed.flowId, failed.version);
  if (!version) return null;
  const { triggeredBy, ...child } = fields;
  const request = { playId: acceptance.nextPlayId(), triggeredBy, serverNow: new Date(serverNow()) };
  const play = { ...retryOf(failed, version, request), ...child, trigger: 'flow' as const };
  return acceptRetry(play, { payloads, acceptance });
}
