/** After which failures a layer is called again: `retry.on`, and what holds without it (ADR 92). Pure. */

/** What the peer answered to the call that failed. It is not stored. */
export interface PeerAnswer {
  readonly statusCode?: number;
  /** How long the peer asks not to be called again, in ms. */
  readonly retryAfterMs?: number;
  /** Whether the same call may succeed later, where the error code does not say so. */
  readonly isPassing?: boolean;
}

/** Error codes that would come again, or by which somebody wanted the layer to end: `retry.on` cannot name them. */
const NEVER: ReadonlySet<string> = new Set([
  ...['expression_unresolved', 'invalid_args', 'unknown_app', 'output_too_large', 'destination_blocked'],
  ...['expression_failed', 'code_failed', 'extraction_failed', 'constraint_violated', 'too_many_rows'],
  ...['repeat_exhausted', 'too_many_pages', 'page_repeated'],
  ...['cancelled', 'rejected', 'value_too_large', 'not_a_number', 'out_of_range'],
  ...['not_found', 'precondition_failed', 'version_conflict', 'clock_skewed'],
  ...['api_not_found', 'operation_not_found', 'operation_changed'],
  ...['tool_not_found', 'tool_changed', 'tool_asks'],
  ...['limit_steps', 'limit_tokens', 'limit_cost', 'limit_time', 'limit_tool_calls'],
  ...['context_full', 'answer_cut', 'model_refused'],
  ...['agent_diverged', 'interrupted', 'not_stored'],
]);

/** Error codes that `retry.on` can name besides statuses; `connect` is the short name of `connect_failed`. */
export const RETRY_CODES = [
  ...(['timeout', 'connect', 'connect_failed', 'bad_status', 'internal', 'invalid_output', 'sandbox_limit'] as const),
  ...(['integration_not_found', 'integration_unusable', 'destination_paused', 'sql_failed'] as const),
  ...(['mcp_unreachable', 'tool_failed'] as const),
] as const;

/** The statuses of the class 4xx after which the same request may succeed. */
const PASSING_4XX: ReadonlySet<number> = new Set([408, 409, 421, 423, 425, 429]);

const STATUS_RULE = /^(?:[1-5]xx|[1-9][0-9]{2}(?:-[1-9][0-9]{2})?)$/;

/** Whether the rule is a status `"404"`, a class `"4xx"` or a range `"400-499"`. */
export function isStatusRule(rule: string): boolean {
  return STATUS_RULE.test(rule);
}

export function matchesStatus(rule: string, statusCode: number): boolean {
  if (rule.endsWith('xx')) return Math.floor(statusCode / 100) === Number(rule[0]);
  const [from, to = from] = rule.split('-');
  return statusCode >= Number(from) && statusCode <= Number(to);
}

/** What is wrong with one entry of `retry.on`; null: nothing. */
export function faultOfRetryOn(rule: string): string | null {
  if (isStatusRule(rule) || (RETRY_CODES as readonly string[]).includes(rule)) return null;
  if (NEVER.has(rule)) return `"${rule}" is never tried again: the same call would fail in the same way`;
  return `"${rule}" is neither a status ("429", "5xx", "500-504") nor one of ${RETRY_CODES.join(', ')}`;
}

/** Whether another call may succeed where this one failed. @param on `retry.on`; undefined: the default */
export function isWorthRetrying(on: readonly string[] | undefined, code: string, peer: PeerAnswer): boolean {
  if (NEVER.has(code)) return false;
  const { statusCode } = peer;
  if (on) {
    const byStatus = (rule: string) =>
      statusCode !== undefined && isStatusRule(rule) && matchesStatus(rule, statusCode);
    return on.some((rule) => rule === code || (rule === 'connect' && code === 'connect_failed') || byStatus(rule));
  }
  if (peer.isPassing === false) return false;
  // a peer that says when to call again says that it may answer differently
  if (code !== 'bad_status' || statusCode === undefined || peer.retryAfterMs !== undefined) return true;
  return !matchesStatus('4xx', statusCode) || PASSING_4XX.has(statusCode);
}
