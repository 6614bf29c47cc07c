import type { Play } from '@weft/engine';

/** The fields by which a log line identifies a play. */
export function playLogFields({ _id, company_id, flowId, requestId }: Play) {
  return { company_id, flow_id: flowId, play_id: _id, ...(requestId !== undefined && { request_id: requestId }) };
}
