import type { StepWatch } from '@weft/layers';
import type { Metrics } from '@weft/observability';
import { PLAYS, recordAlone, unlessTaken, type AuditEntryInput, type Mongo } from '@weft/store';
import { retryWhileUnavailable } from '../plays/store-retries.js';

type StepCall = Parameters<StepWatch['aboutToCall']>[0];

/** Counts the steps of agents, and records their calls that may change something: each once, whatever crashes. */
export function stepWatch(mongo: Mongo, metrics: Metrics, closing: () => boolean): StepWatch {
  return {
    async aboutToCall(call) {
      const entry = entryOf(call);
      // a worker that died may have recorded it
      const record = () => unlessTaken(recordAlone(mongo, entry));
      await retryWhileUnavailable(record, closing);
    },
    ended: (kind, outcome) => metrics.agentStep(kind, outcome),
  };
}

/** Not the arguments of the call: the play has them. */
function entryOf({ play, ref, step, tool, idempotencyKey }: StepCall): AuditEntryInput {
  const facts = { flowId: play.flowId, version: play.version, layer: ref, step, tool };
  return {
    action_type: 'agent_tool_called',
    collection: PLAYS,
    company_id: play.company_id,
    UserID: play.triggeredBy,
    resource_type: 'play',
    resource_id: play._id,
    changes: Object.fromEntries(Object.entries(facts).map(([name, after]) => [name, { before: null, after }])),
    once: `agent_tool_called:${idempotencyKey}`,
  };
}
