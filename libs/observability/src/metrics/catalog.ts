import { DESTINATION_METRICS } from './destination-metrics.js';
import { WEBHOOK_METRICS } from './webhook-metrics.js';

/**
 * Every metric of the product, once: those that docs/operator-contract.md §2 promises, with exactly these labels and types,
 * and others. `docs/reference/metrics.md` is made from it.
 */
export interface MetricRow {
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly help: string;
  readonly labels: readonly string[];
  /**
   * Of a counter: the values of its labels, where all are known (of a bounded label: none). It shows 0 for each combination
   * from the start, because `rate()` does not see the first increment of a row that appears with it.
   */
  readonly values?: Readonly<Record<string, readonly string[]>>;
  /** Upper bounds of a histogram, in the metric's unit. */
  readonly buckets?: readonly number[];
  /** The label that names a flow or a company: bounded to the most recently used, then `other`. */
  readonly boundedLabel?: string;
}

// few, because there are many labels: each bound is a row for each route, or for each operation on each collection
const REQUEST_SECONDS = [0.01, 0.05, 0.25, 1, 5];
const STORE_SECONDS = [0.005, 0.025, 0.1, 0.5];
const BATCH_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const JOB_SECONDS = [0.1, 1, 10, 60, 300];
const PASS_SECONDS = [0.01, 0.1, 1, 10, 60];
const WAIT_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 10, 30, 60, 300, 1800];
const BATCH_SIZES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

export const METRICS = {
  http_requests_total: {
    type: 'counter',
    help: 'HTTP requests answered, by route template',
    labels: ['method', 'path', 'status'],
  },
  http_request_duration_seconds: {
    type: 'histogram',
    help: 'Seconds from the request to the end of its answer',
    labels: ['method', 'path'],
    buckets: REQUEST_SECONDS,
  },
  auth_attempts_total: {
    type: 'counter',
    help: 'Attempts to sign in or to use a key; method password, api_key or oauth, status success or failure',
    labels: ['method', 'status'],
    values: { method: ['password', 'api_key', 'oauth'], status: ['success', 'failure'] },
  },
  auth_failures_total: {
    type: 'counter',
    help: 'Refused attempts, by reason',
    labels: ['reason'],
  },
  trigger_deliveries_total: {
    type: 'counter',
    help: 'Deliveries to triggers, by outcome: accepted, duplicate, skipped, refused, unverified, limited, unknown',
    labels: ['outcome'],
    values: { outcome: ['accepted', 'duplicate', 'skipped', 'refused', 'unverified', 'limited', 'unknown'] },
  },
  plays_total: {
    type: 'counter',
    help: 'Plays that ended, by final state',
    labels: ['status'],
    values: { status: ['DONE', 'FAIL', 'SKIP', 'FILTERED'] },
  },
  play_duration_seconds: {
    type: 'summary',
    help: 'Seconds from the start to the end of a play',
    labels: ['flow_id'],
    boundedLabel: 'flow_id',
  },
  layers_executed_total: {
    type: 'counter',
    help: 'Layers that ended, by module and final state',
    labels: ['module', 'status'],
  },
  unexpected_answers_total: {
    type: 'counter',
    help: 'Layers whose answer did not fit the schema of its operation or tool, and that went on',
    labels: ['flow_id'],
    boundedLabel: 'flow_id',
  },
  mongodb_operations_total: {
    type: 'counter',
    help: 'Operations sent to MongoDB',
    labels: ['collection', 'operation'],
  },
  mongodb_operation_duration_seconds: {
    type: 'histogram',
    help: 'Seconds of a MongoDB operation',
    labels: ['collection', 'operation'],
    buckets: STORE_SECONDS,
  },
  mongodb_query_duration_seconds: {
    type: 'summary',
    help: 'Seconds of a MongoDB operation, recent quantiles',
    labels: ['collection', 'operation'],
  },
  mongodb_slow_queries_total: {
    type: 'counter',
    help: 'MongoDB operations of 500 ms and more',
    labels: ['collection'],
  },
  mongodb_connections_open: { type: 'gauge', help: 'Open connections to MongoDB', labels: [] },
  mongodb_connections_idle: { type: 'gauge', help: 'Open connections that wait for work', labels: [] },
  mongodb_pool_size_current: { type: 'gauge', help: 'Connections in the pool', labels: [] },
  scheduler_runs_total: {
    type: 'counter',
    help: 'Scheduled runs that ended; status success or failure',
    labels: ['flow_id', 'status'],
    values: { status: ['success', 'failure'] },
    boundedLabel: 'flow_id',
  },
  scheduler_run_duration_seconds: {
    type: 'summary',
    help: 'Seconds of a scheduled run',
    labels: ['flow_id'],
    boundedLabel: 'flow_id',
  },
  scheduler_next_run_seconds_until: {
    type: 'gauge',
    help: 'Seconds until the next run of a schedule',
    labels: ['flow_id'],
    boundedLabel: 'flow_id',
  },
  retention_cleanup_duration_seconds: {
    type: 'histogram',
    help: 'Seconds of a cleanup of one collection',
    labels: ['collection', 'status'],
    buckets: JOB_SECONDS,
  },
  retention_entries_deleted_total: {
    type: 'counter',
    help: 'Entries that retention deleted',
    labels: ['collection', 'company_id'],
    values: { collection: ['flows', 'plays', 'play_layers', 'audit_logs', 'kv_stores'] },
    boundedLabel: 'company_id',
  },
  retention_policy_evaluation_seconds: {
    type: 'histogram',
    help: 'Seconds to decide what a policy keeps and deletes',
    labels: ['collection', 'action'],
    buckets: JOB_SECONDS,
  },
  retention_step_seconds_total: {
    type: 'counter',
    help: 'Seconds in which retention worked, without its pauses',
    labels: ['collection'],
    values: { collection: ['flows', 'plays', 'play_layers', 'audit_logs', 'kv_stores'] },
  },
  retention_run_seconds: {
    type: 'gauge',
    help: 'Since the run of retention that is under way began: so long ago has become due what waits to be deleted; 0 between runs',
    labels: [],
  },
  retention_due_plays: {
    type: 'gauge',
    help: 'Plays that the run of retention under way has left, at most',
    labels: [],
  },
  retention_due_bytes: { type: 'gauge', help: 'About as much these plays take in MongoDB', labels: [] },
  retention_overdue_seconds: { type: 'gauge', help: 'For how long the oldest of these has been due', labels: [] },
  audit_cache_refresh_duration_seconds: {
    type: 'histogram',
    help: 'Seconds of a refresh of the audit query cache',
    labels: [],
    buckets: JOB_SECONDS,
  },
  audit_cache_entries: { type: 'gauge', help: 'Entries in the audit query cache', labels: [] },
  cache_evictions_total: {
    type: 'counter',
    help: 'Entries evicted from a cache; reason ttl_expired or capacity',
    labels: ['cache_type', 'reason'],
    values: {
      cache_type: ['flow_definitions', 'module_definitions', 'test_case_fixtures'],
      reason: ['ttl_expired', 'capacity'],
    },
  },
  company_plays_total: {
    type: 'counter',
    help: 'Plays of a company that have ended',
    labels: ['company_id'],
    boundedLabel: 'company_id',
  },
  company_stored_bytes: {
    type: 'gauge',
    help: 'Bytes of plays, files and large values of a company, of the 1,000 that store most',
    labels: ['company_id'],
    boundedLabel: 'company_id',
  },
  company_layer_seconds_total: {
    type: 'counter',
    help: 'Seconds of the layers of a company, waits included',
    labels: ['company_id'],
    boundedLabel: 'company_id',
  },
  company_model_dollars_total: {
    type: 'counter',
    help: 'Cost of the models that a company has called, in dollars',
    labels: ['company_id'],
    boundedLabel: 'company_id',
  },
  store_used_ratio: {
    type: 'gauge',
    help: "Used share of the disk of MongoDB's data, and of the memory that Redis may take; missing where a store does not say",
    labels: ['store'],
    values: { store: ['mongodb', 'redis'] },
  },
  backup_age_seconds: {
    type: 'gauge',
    help: 'Since the time that the last backup shows; missing while `npm run backup` has made none',
    labels: [],
  },
  ai_tokens_total: {
    type: 'counter',
    help: 'Tokens sent to and received from a model',
    labels: ['provider'],
    values: { provider: ['other'] },
  },
  ai_cost_dollars: {
    type: 'counter',
    help: 'Cost of models, in dollars',
    labels: ['provider'],
    values: { provider: ['other'] },
  },
  agent_steps_total: {
    type: 'counter',
    help: 'Steps of agents that ended: answers of the model, decisions of people, calls of tools and of flows',
    labels: ['kind', 'outcome'],
    values: { kind: ['model', 'approval', 'tool', 'child'], outcome: ['done', 'failed', 'rejected'] },
  },
  storage_bytes_written: {
    type: 'counter',
    help: 'Bytes written to the payload store',
    labels: ['component'],
    values: { component: ['outputs', 'args', 'answers', 'files'] },
  },
  sql_sessions_open: { type: 'gauge', help: 'Open connections of layers to databases of links', labels: [] },
  process_memory_bytes: { type: 'gauge', help: 'Resident memory of the process', labels: [] },

  health: {
    type: 'gauge',
    help: '1 while the part is healthy, 0 while it is not: part process (it can do its work, as /health says with 200), database, queue, storage, ai',
    labels: ['part'],
  },
  clock_offset_seconds: {
    type: 'gauge',
    help: "By how much this machine's clock is ahead of MongoDB's; negative: behind",
    labels: [],
  },
  build_info: { type: 'gauge', help: '1, labelled with the running version', labels: ['version'] },
  run_accept_batch_plays: {
    type: 'histogram',
    help: 'Runs accepted by one write',
    labels: [],
    buckets: BATCH_SIZES,
  },
  run_accept_batch_seconds: {
    type: 'histogram',
    help: 'Seconds of the write that accepts a batch of runs',
    labels: [],
    buckets: BATCH_SECONDS,
  },
  runs_accepted_total: { type: 'counter', help: 'New plays accepted', labels: [] },
  runs_refused_total: { type: 'counter', help: 'Runs refused, by error code', labels: ['code'] },
  play_wait_seconds: {
    type: 'histogram',
    help: 'Seconds between the acceptance of a play and its start',
    labels: [],
    buckets: WAIT_SECONDS,
  },
  queue_oldest_age_seconds: {
    type: 'gauge',
    help: 'Age of the oldest play that could run and does not yet',
    labels: [],
  },
  run_window: { type: 'gauge', help: 'Plays of one company that may be in the queue at once', labels: [] },
  backlog_plays: {
    type: 'gauge',
    help: 'Plays that could run and do not yet: rung for, outside their window, or waiting for room in their flow; of companies without a label',
    labels: [],
  },
  lane_waiting_plays: { type: 'gauge', help: 'Plays that wait for their turn in a lane', labels: [] },
  lanes_stopped: { type: 'gauge', help: 'Lanes that wait for a retry or a skip of a play that failed', labels: [] },
  running_plays: { type: 'gauge', help: 'Plays that workers without a label execute', labels: [] },
  label_backlog_plays: {
    type: 'gauge',
    help: 'The same, of companies with this label',
    labels: ['label'],
  },
  label_running_plays: { type: 'gauge', help: 'Plays that workers with this label execute', labels: ['label'] },
  label_workers: { type: 'gauge', help: 'Workers with this label that are alive', labels: ['label'] },
  reconciler_actions_total: {
    type: 'counter',
    help: 'Repairs by the reconciler, by kind',
    labels: ['action'],
  },
  pass_duration_seconds: {
    type: 'histogram',
    help: 'Seconds of a pass over what no request causes, by its name and outcome: done or failed',
    labels: ['pass', 'outcome'],
    buckets: PASS_SECONDS,
  },
  bulk_items_total: {
    type: 'counter',
    help: 'Items that bulk operations looked at, by action and outcome: changed, skipped or failed',
    labels: ['action', 'outcome'],
    values: { action: ['cancel', 'retry'], outcome: ['changed', 'skipped', 'failed'] },
  },
  token_refresh_failures_total: {
    type: 'counter',
    help: 'Stored tokens that could not be refreshed, by kind of record; `pass`: a whole pass over them failed',
    labels: ['kind'],
    values: { kind: ['integrations', 'identities', 'pass'] },
  },
  ownership_losses_total: {
    type: 'counter',
    help: 'Times a worker found that it no longer owned a play, by how it found out',
    labels: ['where'],
    values: { where: ['lease', 'write'] },
  },
  play_notices_published_total: { type: 'counter', help: 'Live notices sent', labels: [] },
  play_notices_dropped_total: {
    type: 'counter',
    help: 'Live notices not sent because Redis was unreachable; their readers catch up from MongoDB',
    labels: [],
  },
  live_sockets: { type: 'gauge', help: 'Open sockets of live readers', labels: [] },
  live_sockets_closed_total: {
    type: 'counter',
    help: 'Sockets of live readers that ended, by close code; peer if the reader chose the code',
    labels: ['code'],
  },
  live_places_unshared_total: {
    type: 'counter',
    help: 'Sockets opened by the count of one gateway alone, because Redis did not return the counts of the others',
    labels: [],
  },
  live_frames_sent_total: { type: 'counter', help: 'Messages sent to live readers', labels: [] },
  live_journals_read_total: {
    type: 'counter',
    help: 'Journals of watched plays read from MongoDB',
    labels: [],
  },
  source_messages_unread: {
    type: 'gauge',
    help: 'Messages that wait in the sources which this process reads for triggers',
    labels: [],
  },
  source_stuck_seconds: {
    type: 'gauge',
    help: 'For how long, of the sources which this process reads, one has been such that nothing was accepted, and it was not known that nothing waits',
    labels: [],
  },
  ...WEBHOOK_METRICS,
  ...DESTINATION_METRICS,
  event_loop_lag_seconds: {
    type: 'gauge',
    help: 'Delay of the event loop since the last reading, of samples every half second, by percentile: 50, 95, 99, and 100 for the longest',
    labels: ['percentile'],
  },
  event_loop_utilization: {
    type: 'gauge',
    help: 'Share of time that the event loop was busy since the last reading, 0 to 1',
    labels: [],
  },
  trace_spans_dropped_total: {
    type: 'counter',
    help: 'Spans that were lost because the collector did not accept them or too many were waiting for it',
    labels: [],
  },
  log_lines_dropped_total: {
    type: 'counter',
    help: 'Log lines that were not written to the log file because the disk failed',
    labels: [],
  },
} as const satisfies Record<string, MetricRow>;

export type MetricName = keyof typeof METRICS;

export const METRIC_PREFIX = 'weft_';
