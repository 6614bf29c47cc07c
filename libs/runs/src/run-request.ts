/** What is asked of the engine for a run. */
import { mergeLabels, type LaneRequest, type RunRequest } from '@weft/engine';
import { dueAtOf } from './due-at.js';
import type { RunnableFlow } from './flow-cache.js';
import type { RunInput } from './run-input.js';

export interface RequestDeps {
  readonly nextPlayId: () => string;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
}

export function requestOf(flow: RunnableFlow, input: RunInput, from: RequestDeps): RunRequest {
  const serverNow = new Date(from.serverNow());
  return {
    playId: input.playId ?? from.nextPlayId(),
    companyId: flow.companyId,
    flowId: flow.id,
    version: flow.version,
    args: input.args,
    idempotencyKey: input.idempotencyKey ?? null,
    dueAt: dueAtOf(input, serverNow),
    notAfter: input.notAfter,
    trigger: input.trigger,
    triggeredBy: input.triggeredBy,
    serverNow,
    priority: input.priority ?? flow.settings.priority ?? 0,
    labels: mergeLabels(input.labels, flow.settings.labels, input.parentLabels),
    timeoutMs: flow.settings.timeoutMs,
    parentPlayId: input.parentPlayId,
    parent: input.parent,
    onFailure: flow.settings.onFailure,
    handlesFailureOf: input.handlesFailureOf,
  };
}

/** It was to begin before now, or not at all. */
export function isPast({ notAfter, serverNow }: RunRequest): boolean {
  return notAfter != null && notAfter < serverNow;
}

/** What the flow says of the plays in a lane. */
export function laneRequest({ settings }: Pick<RunnableFlow, 'settings'>, lane: string | null): LaneRequest | null {
  return lane === null ? null : { name: lane, stopsOnFail: settings.onLaneFail === 'stop' };
}
