import { boundedErrors, shortDetail } from './bounded-errors.js';

/**
 * Every error that a client can see, once: code → status, title, the contract's reason if it gives one, and
 * whether the same call may succeed later. Source: docs/http-api.md §1.7.
 */
export const ERRORS = {
  malformed_request: { status: 400, title: 'The bytes are not an HTTP request' },
  malformed_json: { status: 400, title: 'The body is not valid JSON' },
  invalid_body: { status: 400, title: 'The body does not have the expected shape' },
  unknown_field: { status: 400, title: 'The body has a field that this operation does not know' },
  invalid_query: { status: 400, title: 'A query parameter is unknown or out of range' },
  password_too_long: { status: 400, title: 'The password is longer than 72 bytes' },
  unauthenticated: { status: 401, title: 'Who asks is not known, or not proven' },
  invalid_credentials: { status: 401, title: 'The user name or the password is wrong' },
  session_expired: { status: 401, title: 'The session has ended' },
  token_invalid: { status: 401, title: 'The token is not valid' },
  token_expired: { status: 401, title: 'The token has expired' },
  token_revoked: { status: 401, title: 'The token was revoked', reason: 'token revoked' },
  insufficient_scope: { status: 403, title: 'The token lacks the scope for this', reason: 'insufficient scope' },
  lane_denied: { status: 403, title: 'Other flows use this lane' },
  denied: { status: 403, title: 'You may not do this', reason: 'denied' },
  cross_site: { status: 403, title: 'A browser sent this from another site' },
  session_required: { status: 403, title: 'This needs a browser session, not a token' },
  company_stopped: { status: 403, title: 'The company is stopped' },
  operator_required: { status: 403, title: 'This needs the operator of the installation' },
  not_found: { status: 404, title: 'There is no such thing here' },
  method_not_allowed: { status: 405, title: 'This path does not take that method' },
  request_timeout: { status: 408, title: 'The request did not arrive in time', retryable: true },
  cursor_expired: { status: 410, title: 'The cursor is too old, or not one of this feed' },
  call_back_over: { status: 410, title: 'The play does not wait for this call any more' },
  version_conflict: { status: 412, title: 'It was changed by somebody else in between' },
  body_too_large: { status: 413, title: 'The body is too large' },
  headers_too_large: { status: 431, title: 'The request line and the headers are too large' },
  unsupported_media_type: { status: 415, title: 'Send application/json' },
  flow_disabled: { status: 409, title: 'The flow is disabled' },
  flow_not_published: { status: 409, title: 'No version of the flow is published' },
  version_not_published: { status: 409, title: 'The version is not the published one' },
  publishes_by_itself: { status: 409, title: 'Each change of the flow is published at once' },
  flow_is_blueprint: { status: 409, title: 'A blueprint is instantiated, not run' },
  not_a_blueprint: { status: 409, title: 'The flow is not a blueprint' },
  illegal_move: { status: 409, title: 'The play cannot do that in its present state' },
  retry_the_parent: { status: 409, title: 'The play is retried through the play that waits for it' },
  ref_taken: { status: 409, title: 'Another layer of the flow has this ref' },
  company_erasing: { status: 409, title: 'The company is being erased' },
  email_taken: { status: 409, title: 'Another user has this e-mail' },
  last_admin: { status: 409, title: 'The company would be left without an admin' },
  confirm_needed: { status: 409, title: 'The call may change something, and is not confirmed' },
  nothing_to_skip: { status: 409, title: 'No play has the turn of the lane' },
  lane_stopped: { status: 409, title: 'The lane is stopped at this play' },
  not_final: { status: 409, title: 'The play has not ended' },
  flow_group_in_use: { status: 409, title: 'The flow group still has flows' },
  idempotency_key_in_use: { status: 409, title: 'Another play of the flow holds this idempotency key' },
  key_taken: { status: 409, title: 'Another one of the company has this key' },
  not_imported: { status: 409, title: 'No document of the API was imported yet' },
  idempotency_mismatch: { status: 409, title: 'A play with this key has other args or another version' },
  delivery_not_kept: { status: 409, title: 'The body of the delivery is not kept any more' },
  unknown_app: { status: 422, title: 'There is no module with this appId' },
  invalid_args: { status: 422, title: 'The arguments do not fit the module' },
  invalid_options: { status: 422, title: 'Two things that the layers say cannot both be' },
  invalid_expression: { status: 422, title: 'An expression cannot be read' },
  condition_failed: { status: 422, title: 'The condition of the flow cannot be judged' },
  invalid_cron: { status: 422, title: 'The schedule cannot be read, or never comes' },
  invalid_timezone: { status: 422, title: 'There is no such time zone' },
  invalid_limit_key: { status: 422, title: 'The run has no key for the concurrency limit of its flow' },
  invalid_lane: { status: 422, title: 'The run has no lane that can be used' },
  invalid_labels: { status: 422, title: 'The labels do not follow their rules' },
  invalid_policy: { status: 422, title: 'The policy contradicts itself or a floor' },
  missing_blueprint_vars: { status: 422, title: 'The blueprint needs variables that were not given' },
  unknown_blueprint_vars: { status: 422, title: 'The blueprint reads no such variable' },
  invalid_document: { status: 422, title: 'The document is not a flow that can be imported' },
  left_out: { status: 422, title: 'The document leaves out values that the flow does not have there' },
  required_case_failed: { status: 422, title: 'A required test case of the flow fails' },
  too_many_test_cases: { status: 422, title: 'The flow has as many test cases as a flow may have' },
  too_many_schedules: { status: 422, title: 'The company has as many schedules as a company may have' },
  trigger_has_no_address: { status: 409, title: 'The trigger reads by itself, and has no address' },
  too_many_triggers: { status: 422, title: 'The flow has as many triggers as a flow may have' },
  too_many_destinations: { status: 422, title: 'The company has as many destinations as a company may have' },
  uploads_full: { status: 422, title: 'The company has as many uploads as a company may have' },
  other_address: { status: 409, title: 'This page was opened at another address than that of Weft' },
  not_authorizable: { status: 422, title: 'The server offers no sign-in that Weft can use' },
  too_many_apis: { status: 422, title: 'The company has as many APIs, or MCP servers, as a company may have' },
  too_many_webhooks: { status: 422, title: 'The company has as many webhooks as a company may have' },
  unresolved_refs: { status: 422, title: 'An expression reads a layer that does not exist or comes later' },
  weak_password: { status: 422, title: 'The password is too weak' },
  unknown_scope: { status: 422, title: 'There is no such scope' },
  value_too_large: { status: 422, title: 'The value is larger than what is kept' },
  unknown_id: { status: 422, title: 'An id in the body names nothing' },
  both_delay_and_date: { status: 422, title: 'Give delayMs or runAt, not both' },
  empty_filter: { status: 422, title: 'The filter is empty, which would be everything' },
  not_changeable: { status: 422, title: 'This setting cannot be changed at run time' },
  too_many_samples: { status: 422, title: 'The flow has as many samples as a flow may have' },
  not_triable: { status: 422, title: 'A layer of this module is not called by itself' },
  too_many_labels: { status: 422, title: 'The installation has as many labels of workers as it may have' },
  too_many_layers: { status: 422, title: 'The flow has as many layers as a flow may have' },
  query_too_slow: { status: 422, title: 'The list takes too long to find' },
  too_many_attempts: { status: 429, title: 'Too many attempts', retryable: true },
  too_many_uploads: { status: 429, title: 'Too many uploads at once', retryable: true },
  too_many_bulks: { status: 429, title: 'Too many bulk operations at once', retryable: true },
  too_many_plays: { status: 429, title: 'This key starts more plays than it may', retryable: true },
  too_many_dry_runs: { status: 429, title: 'Too many dry runs at once', retryable: true },
  too_many_tries: { status: 429, title: 'Too many layers tried', retryable: true },
  too_many_deliveries: { status: 429, title: 'Too many deliveries', retryable: true },
  backlog_full: { status: 429, title: 'The company has too many plays waiting', retryable: true },
  too_many_runs: { status: 429, title: 'The company starts more plays than it may', retryable: true },
  storage_full: { status: 429, title: 'The company stores more than it may', retryable: true },
  kept_events_full: { status: 429, title: 'The company has too many events kept', retryable: true },
  too_many_sockets: { status: 429, title: 'Too many open sockets', retryable: true },
  internal: { status: 500, title: 'Something went wrong on our side', retryable: true },
  provider_unavailable: { status: 503, title: 'The identity provider cannot be reached', retryable: true },
  no_worker: { status: 503, title: 'No worker made the call', retryable: true },
  call_unanswered: { status: 504, title: 'The worker that made the call gave no answer' },
  store_unavailable: { status: 503, title: 'A store that this needs cannot be reached', retryable: true },
} as const satisfies Record<string, { status: number; title: string; reason?: string; retryable?: boolean }>;

export type ErrorCode = keyof typeof ERRORS;

/** One fault in the input: `path` in dots from the body's root, or with the prefix `query.` or `header.`. */
export interface FieldError {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

export interface WeftErrorOptions {
  readonly errors?: readonly FieldError[];
  /** Whole seconds, sent as `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** More members for the problem, e.g. `{ state: 'DONE' }`. */
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** An error that a client may see: `detail` says what was wrong, where, and what to do. */
export class WeftError extends Error {
  readonly errors: readonly FieldError[];
  readonly retryAfterSeconds?: number;
  readonly extra?: Readonly<Record<string, unknown>>;

  constructor(
    readonly code: ErrorCode,
    detail: string,
    options: WeftErrorOptions = {},
  ) {
    super(shortDetail(detail), options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'WeftError';
    this.errors = boundedErrors(options.errors ?? []);
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.extra = options.extra;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}
