/** The child play that a layer of a retry has started already, in an earlier play of its chain. */
import { acceptRetry, type AcceptedRun, type PlayAcceptance, type RunnableFlow } from '@weft/runs';
import { isFinal } from '@weft/contracts';
import { decideRetry, retryOf, type Play } from '@weft/engine';
import { LayerFailure } from '@weft/layers';
import {
  MOST_RETRY_LINKS,
  TenantScope,
  type ChildMarks,
  type ChildPlaysRepository,
  type FlowVersionRepository,
  type PayloadStore,
  type UserRetry,
} from '@weft/persistence';
import type { PlaySignals } from '@weft/realtime-bus';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitsForKept } from './waits-for-itself.js';

export interface EarlierChildDeps {
  readonly acceptance: Pick<PlayAcceptance, 'acceptPrepared' | 'nextPlayId'>;
  readonly children: Pick<
    ChildPlaysRepository,
    'adopt' | 'childOf' | 'find' | 'firstRetryOf' | 'parent' | 'retried' | 'retriesByUsers'
  >;
  readonly versions: Pick<FlowVersionRepository, 'find'>;
  readonly payloads: Pick<PayloadStore, 'share' | 'letGo' | 'userFiles'>;
  readonly serverNow: () => number;
  readonly signals: Pick<PlaySignals, 'publish'>;
}

/** The parent of the new play, and whether it waits for the play. */
type ChildFields = ChildMarks & Pick<Play, 'triggeredBy' | 'priority'>;

/**
 * The play that this layer has started in the latest play of the chain that has one. If that has failed and users have retried it
 * by itself, what these retries have come to: what they did is not done again.
 */
export async function earlierChild(
  { _id, company_id, retryOf: before, chain }: Play,
  flowId: string,
  { layer, item }: { readonly layer: number; readonly item?: number | undefined },
  { children }: Pick<EarlierChildDeps, 'children'>,
): Promise<Play | null> {
  const scope = new TenantScope(company_id);
  let link: string | undefined = chain && before;
  for (let i = 0; link !== undefined && i < MOST_RETRY_LINKS; i += 1) {
    const child = await children.childOf(scope, flowId, link, layer, item);
    if (child) return afterRetries(child, scope, children);
    link = link === chain?.first || link === _id ? undefined : ((await children.retried(scope, link)) ?? undefined);
  }
  return null;
}

/** Of a failed play and the retries that users have made of it: one that ended well, else one that has not ended, else the newest. */
async function afterRetries(
  child: Play,
  scope: TenantScope,
  children: Pick<ChildPlaysRepository, 'find' | 'retriesByUsers'>,
): Promise<Play> {
  const found: UserRetry[] = [];
  let failed = child.state === 'FAIL' ? [child._id] : [];
  for (let i = 0; failed.length > 0 && i < MOST_RETRY_LINKS; i += 1) {
    const retries = await children.retriesByUsers(scope, failed);
    found.push(...retries);
    failed = retries.filter(({ state }) => state === 'FAIL').map(({ _id }) => _id);
  }
  const best =
    found.find(({ state }) => isFinal(state) && state !== 'FAIL') ??
    found.find(({ state }) => !isFinal(state)) ??
    newestOf(found, child._id);
  return (best && (await children.find(scope, best._id))) ?? child;
}

/** The newest retry of the play, or the newest one of that retry, and so on. */
function newestOf(retries: readonly UserRetry[], playId: string): UserRetry | undefined {
  const newest = retries.find(({ retryOf }) => retryOf === playId);
  return newest && (newestOf(retries, newest._id) ?? newest);
}

/**
 * The layer waits for a child that has not ended, if that is a user's own retry, as for one that it has started.
 *
 * @returns false: look again, something else was faster
 * @throws LayerFailure `child_running`
 */
export async function adoptRetry(
  open: Play,
  parent: Play,
  marks: ChildMarks,
  { children, signals }: Pick<EarlierChildDeps, 'children' | 'signals'>,
): Promise<boolean> {
  // another hand-out of the parent was faster
  if (open.parentPlayId === parent._id) return true;
  // any other one reports its end to the play that it has already
  if (open.parentPlayId === undefined && !(await waitsForKept(open, parent, children))) {
    const isAdopted = await children.adopt(new TenantScope(parent.company_id), open, marks);
    // the worker that runs it reads it again, and so the next row that it publishes names the parent
    if (isAdopted) signals.publish(open._id);
    return isAdopted;
  }
  const message = `The play ${open._id}, which this layer started before the retry, has not ended, and a second one would do the same again: wait for its end or cancel it, then retry once more.`;
  throw new LayerFailure('child_running', message);
}

/**
 * A retry of a child that failed, for the layer of its parent's retry. Null when that is impossible: its flow changed, or
 * its results are no longer stored.
 *
 * @param onlyFirst no retry is made when the child has one: `wasRetried`
 */
export async function retryChild(
  failed: Play,
  flow: RunnableFlow,
  fields: ChildFields,
  { acceptance, versions, payloads, serverNow }: EarlierChildDeps,
  onlyFirst: boolean,
): Promise<AcceptedRun | null> {
  if (failed.version !== flow.version) return null;
  const decision = decideRetry(failed, new Date(serverNow()));
  if (decision.kind === 'refuse') return null;
  if (decision.kind === 'later') await sleep(decision.waitMs);
  const version = await versions.find(new TenantScope(failed.company_id), failed.flowId, failed.version);
  if (!version) return null;
  const { triggeredBy, ...child } = fields;
  const request = { playId: acceptance.nextPlayId(), triggeredBy, serverNow: new Date(serverNow()) };
  const play = { ...retryOf(failed, version, request), ...child, trigger: 'flow' as const };
  return acceptRetry(play, { payloads, acceptance }, { onlyFirst });
}

export type Pause = (ms: number, signal: AbortSignal | undefined) => Promise<void>;

/** @throws LayerFailure `cancelled` when the call is over, by its time limit or because its play does not go on here */
export const pauseInCall: Pause = (ms, signal) =>
  sleep(ms, undefined, signal && { signal }).catch((cause: unknown) => {
    throw new LayerFailure('cancelled', 'The play does not go on here.', undefined, { cause });
  });
