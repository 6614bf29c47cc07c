/** A new play, as it is inserted: protocol §5 "Accept". The insert is the acceptance; everything else follows from it. */
import type { PlayTrigger } from '@weft/contracts';
import type { Play } from './play.js';

export interface RunRequest {
  readonly playId: string;
  readonly companyId: string;
  readonly flowId: string;
  readonly version: number;
  readonly args: Readonly<Record<string, unknown>>;
  readonly idempotencyKey: string | null;
  /** When it is to start; null = now. */
  readonly dueAt: Date | null;
  readonly trigger: PlayTrigger;
  readonly triggeredBy: string | null;
  /** MongoDB's clock. */
  readonly serverNow: Date;
}

export function acceptPlay(request: RunRequest): Play {
  const { serverNow, dueAt, idempotencyKey } = request;
  return {
    _id: request.playId,
    schemaVersion: 1,
    company_id: request.companyId,
    flowId: request.flowId,
    version: request.version,
    state: dueAt ? 'DEFERRED' : 'NEW',
    epoch: 1,
    seq: 1,
    cursor: 0,
    ...(dueAt ? { dueAt } : { beatAt: serverNow }),
    crashes: 0,
    ...(idempotencyKey !== null && { key: idempotencyKey, idempotencyKey }),
    layers: [],
    log: [{ seq: 1, type: 'accepted', at: serverNow }],
    args: request.args,
    trigger: request.trigger,
    triggeredBy: request.triggeredBy,
    priority: 0,
    createdAt: serverNow,
  };
}
