import type { Play } from '@weft/engine';

/** What a log line about a play names it by. */
export function playNames({ _id, company_id, flowId, requestId }: Play) {
  return { company_id, flow_id: flowId, play_id: _id, ...(requestId !== undefined && { request_id: requestId }) };
}
