/** What a model is given: structured content with the same as text, and errors that say how to go on. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { ERRORS, parseStoredJson, type WeftError } from '@weft/kernel';

export function toResult(structuredContent: object): CallToolResult {
  const plain = parseStoredJson(JSON.stringify(structuredContent)) as Record<string, unknown>;
  return { content: [{ type: 'text', text: JSON.stringify(plain) }], structuredContent: plain };
}

/** What to do about an error, for those whose detail does not say it. */
const NEXT: Readonly<Record<string, string>> = {
  not_found: 'Look up the id: list_flows, list_plays.',
  denied: 'The user of this API key lacks the right, or the key is limited. Do not call again; ask a person.',
  version_conflict: 'Call get_flow, apply the change to what it has now, and call again with its version.',
  retry_the_parent: 'Call retry_play with parentPlayId, when that play has failed.',
  flow_disabled: 'Enable the flow with update_flow, if you may, or ask a person.',
  flow_not_published: 'Ask a person to publish a version of the flow.',
  invalid_body: 'Mend the fields that `errors` names, and call again.',
  invalid_args: 'Mend what `errors` names, and call again. list_modules with appId has the arguments of a module.',
  invalid_expression: 'Mend what `errors` names, and call again.',
  unknown_app: 'Call list_modules: appId is one of those.',
  idempotency_mismatch:
    'Nothing was run: the play with this key has other args. Call again with another idempotencyKey, or without one.',
  backlog_full: 'Too many plays of this company wait. Call again later.',
  too_many_runs: 'The company starts too many plays. Call again after retryAfterSeconds.',
  too_many_dry_runs: 'Call again in a second.',
};

/** A refusal that the model can mend, instead of an error of the protocol. */
export function toErrorResult(error: WeftError): CallToolResult {
  const { code, message: detail, errors, retryAfterSeconds, extra } = error;
  const { retryable = false } = ERRORS[code] as { retryable?: boolean };
  const next = NEXT[code];
  const problem = {
    ...extra,
    ...{ code, detail, retryable },
    ...(errors.length > 0 && { errors }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(next && { next }),
  };
  return { content: [{ type: 'text', text: JSON.stringify(problem) }], isError: true };
}
