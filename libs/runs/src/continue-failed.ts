/**
 * The repetition of a run whose play has failed: what that play has done is not done again (docs/protocol.md §5 "Accept"). A caller
 * that got no answer cannot know that the play failed.
 */
import type { FairSemaphore } from '@weft/concurrency';
import { decideRetry, retryOf, type Play, type RunRequest } from '@weft/engine';
import { playKeyOf, TenantScope, type MongoPlayStore, type PayloadStore } from '@weft/store';
import { type FlowVersionRepository } from '@weft/records';
import { isDeepStrictEqual } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { acceptRetry, type RetryDeps } from './accept-retry.js';
import type { AcceptedRun, RunInput } from './run-input.js';
import type { RequestDeps } from './run-request.js';

export interface ContinueDeps extends RetryDeps, RequestDeps {
  readonly payloads: RetryDeps['payloads'] & Pick<PayloadStore, 'argsOf'>;
  readonly versions: Pick<FlowVersionRepository, 'find'>;
  readonly store: Pick<MongoPlayStore, 'find'>;
  /** Of the process: each repetition reads a version, maybe args, and makes a transaction. */
  readonly places: FairSemaphore;
}

type Repetition = Pick<RunInput, 'args' | 'namedVersion' | 'ownArgs' | 'playId'>;
type Wish = Pick<RunRequest, 'triggeredBy' | 'dueAt' | 'notAfter'>;

/**
 * Retries a failed play that holds the key of a run, which says who asks for it and when it starts.
 *
 * @returns `replayed`: something else was faster · null: the run has other args or names another version, or what the play has
 * done is not kept any more
 * @throws WeftError `backlog_full`
 */
export async function continueFailed(
  failed: Play,
  input: Repetition,
  { triggeredBy, dueAt, notAfter }: Wish,
  deps: ContinueDeps,
): Promise<AcceptedRun | null> {
  const { versions, nextPlayId, serverNow } = deps;
  const now = () => new Date(serverNow());
  const decision = decideRetry(failed, now());
  if (decision.kind === 'refuse') return null;
  const inPlace = async <T>(work: () => Promise<T>): Promise<T> => {
    const leave = await deps.places.acquire(failed.company_id);
    return work().finally(leave);
  };
  if (!(await inPlace(() => isSameRun(failed, input, deps.payloads)))) return null;
  if (decision.kind === 'later') await sleep(decision.waitMs);
  return inPlace(async () => {
    const version = await versions.find(new TenantScope(failed.company_id), failed.flowId, failed.version);
    // whoever holds a key is read without what it has done
    const whole = version && (await deps.store.find(playKeyOf(failed)));
    if (!version || !whole) return null;
    const playId = input.playId ?? nextPlayId();
    const retry = retryOf(whole, version, { playId, triggeredBy, dueAt, notAfter, serverNow: now() });
    const accepted = await acceptRetry(retry, deps, { hasSharedId: input.playId !== undefined });
    return accepted && (accepted.replayed ? accepted : { ...accepted, continues: failed._id });
  });
}

async function isSameRun(failed: Play, input: Repetition, payloads: ContinueDeps['payloads']): Promise<boolean> {
  if (input.namedVersion !== undefined && input.namedVersion !== failed.version) return false;
  // what is read of a delivery has objects without a prototype
  return hasArgs(failed, structuredClone(input.args), payloads, input.ownArgs);
}

/** Whether the play was given these args, apart from those with these names. */
export async function hasArgs(
  play: Pick<Play, 'company_id' | 'args' | 'argsRef'>,
  args: Play['args'],
  payloads: Pick<PayloadStore, 'argsOf'>,
  apart: readonly string[] = [],
): Promise<boolean> {
  const known = play.argsRef ? await payloads.argsOf(new TenantScope(play.company_id), play) : play.args;
  return isDeepStrictEqual(without(known, apart), without(args, apart));
}

function without(args: Play['args'], names: readonly string[]): Play['args'] {
  if (names.length === 0) return args;
  return Object.fromEntries(Object.entries(args).filter(([name]) => !names.includes(name)));
}
