import type { HealthPart } from '../health/health-check.js';
import { watchEventLoop } from './event-loop.js';
import { MetricSeries, type NameOf } from './metric-series.js';
import type { QueueStats } from './queue-stats.js';
import type { CounterRow, CounterSeries, HistogramSeries } from './series.js';
import type { SummarySeries } from './summary-series.js';

const FLOW_LABELS = 1_000;
const SLOW_SECONDS = 0.5;
const LABEL_GAUGES = ['label_backlog_plays', 'label_running_plays', 'label_workers'] as const;

/**
 * The metrics of one process. Methods of the run path cost a map look-up and an addition; expensive work (text,
 * quantiles) is done when somebody reads `/metrics`. Names and labels: `catalog.ts`.
 */
export class Metrics extends MetricSeries {
  private readonly readers: (() => void)[] = [];
  private readonly eventLoop: ReturnType<typeof watchEventLoop>;

  private readonly requests: CounterSeries;
  private readonly requestSeconds: HistogramSeries;
  private readonly plays: CounterSeries;
  private readonly playSeconds: SummarySeries;
  private readonly layers: CounterSeries;
  private readonly storeOperations: CounterSeries;
  private readonly storeSeconds: HistogramSeries;
  private readonly storeQuantiles: SummarySeries;
  private readonly slow: CounterSeries;

  /** @param flowLabels how many flows have a row of their own, the most recently used */
  constructor(flowLabels = FLOW_LABELS) {
    super(flowLabels);
    this.requests = this.counter('http_requests_total');
    this.requestSeconds = this.histogram('http_request_duration_seconds');
    this.plays = this.counter('plays_total');
    this.playSeconds = this.summary('play_duration_seconds');
    this.layers = this.counter('layers_executed_total');
    this.storeOperations = this.counter('mongodb_operations_total');
    this.storeSeconds = this.histogram('mongodb_operation_duration_seconds');
    this.storeQuantiles = this.summary('mongodb_query_duration_seconds');
    this.slow = this.counter('mongodb_slow_queries_total');
    this.eventLoop = watchEventLoop();
  }

  /** @param route the route's template (`/api/flows/:id/run`), never the path as it came */
  httpRequest(method: string, route: string, status: number, seconds: number): void {
    this.requests.row(method, route, String(status)).add();
    this.requestSeconds.row(method, route).observe(seconds);
  }

  /** @param state one of the final states @param seconds from its start; null: it never started */
  playEnded(state: string, flowId: string, seconds: number | null): void {
    this.plays.row(state).add();
    if (seconds !== null) this.playSeconds.row(flowId).observe(seconds);
  }

  /** @param seconds from the acceptance of the play (or its due time) to its start */
  playStarted(seconds: number): void {
    this.histogram('play_wait_seconds').row().observe(Math.max(0, seconds));
  }

  /** @param module the layer's appId; call it only for modules of the registry, the label is not bounded */
  layerExecuted(module: string, status: string): void {
    this.layers.row(module, status).add();
  }

  /** An answer did not fit the schema of its operation or tool. */
  unexpectedAnswer(flowId: string): void {
    this.counter('unexpected_answers_total').row(flowId).add();
  }

  authAttempt(method: 'password' | 'api_key' | 'oauth', status: 'success' | 'failure'): void {
    this.counter('auth_attempts_total').row(method, status).add();
  }

  /** @param component what was stored: `outputs`, `args` */
  payloadWritten(component: string, bytes: number): void {
    this.counter('storage_bytes_written').row(component).add(bytes);
  }

  /** @param reason an error code or one of the contract's reasons (`invalid_password`) */
  authFailure(reason: string): void {
    this.counter('auth_failures_total').row(reason).add();
  }

  runsAccepted(plays: number, seconds: number): void {
    this.counter('runs_accepted_total').row().add(plays);
    this.histogram('run_accept_batch_plays').row().observe(plays);
    this.histogram('run_accept_batch_seconds').row().observe(seconds);
  }

  /** @param code of the error with which a run was refused that its flow would have accepted */
  runRefused(code: string): void {
    this.counter('runs_refused_total').row(code).add();
  }

  bulkItems(action: string, outcome: 'changed' | 'skipped' | 'failed', count: number): void {
    this.counter('bulk_items_total').row(action, outcome).add(count);
  }

  /** @param outcome as in the delivery log, or `unverified`, `limited`, `unknown` */
  triggerDelivery(outcome: string): void {
    this.counter('trigger_deliveries_total').row(outcome).add();
  }

  /** @param action what was done, in one word or two joined by `_` (`ring`, `raise`, `due`, `give_up`) */
  reconcilerAction(action: string, plays = 1): void {
    this.counter('reconciler_actions_total').row(action).add(plays);
  }

  passEnded(pass: string, outcome: 'done' | 'failed', seconds: number): void {
    this.histogram('pass_duration_seconds').row(pass, outcome).observe(seconds);
  }

  /** @param seconds null when the play never ran */
  scheduledRunEnded(flowId: string, status: 'success' | 'failure', seconds: number | null): void {
    this.counter('scheduler_runs_total').row(flowId, status).add();
    if (seconds !== null) this.summary('scheduler_run_duration_seconds').row(flowId).observe(seconds);
  }

  /** Replaces what was said before. @param soonest by flow; the caller gives no more than a page can hold */
  nextScheduledRuns(soonest: ReadonlyMap<string, number>): void {
    const gauge = this.gauge('scheduler_next_run_seconds_until');
    gauge.reset();
    for (const [flowId, seconds] of soonest) gauge.set({ flow_id: flowId }, seconds);
  }

  /** @param kind whose tokens: `integrations`, `identities`; `pass` when none could be looked at */
  tokenRefreshFailed(kind: string): void {
    this.counter('token_refresh_failures_total').row(kind).add();
  }

  /** One visit of the cleaner to a collection of a company. */
  retentionCleanup(collection: string, status: 'ok' | 'failed', seconds: number): void {
    this.histogram('retention_cleanup_duration_seconds').row(collection, status).observe(seconds);
  }

  /** One step of it; `decidedMs`: of the time in which it was found what is due. */
  retentionStep(
    collection: string,
    companyId: string,
    { deleted, decidedMs, tookMs }: { readonly deleted: number; readonly decidedMs: number; readonly tookMs: number },
  ): void {
    const action = deleted > 0 ? 'delete' : 'keep';
    this.histogram('retention_policy_evaluation_seconds')
      .row(collection, action)
      .observe(decidedMs / 1_000);
    this.counter('retention_step_seconds_total')
      .row(collection)
      .add(tookMs / 1_000);
    if (deleted > 0) this.counter('retention_entries_deleted_total').row(collection, companyId).add(deleted);
  }

  /** @param seconds since the run that is under way began; 0: none is */
  retentionRun(seconds: number): void {
    this.gauge('retention_run_seconds').set(seconds);
  }

  /** What the run of retention that is under way still has to delete; zeros between runs. */
  retentionLeft(left: { readonly plays: number; readonly bytes: number; readonly overdue_ms: number }): void {
    this.gauge('retention_due_plays').set(left.plays);
    this.gauge('retention_due_bytes').set(left.bytes);
    this.gauge('retention_overdue_seconds').set(left.overdue_ms / 1_000);
  }

  /** @param reason `ttl_expired` or `capacity` */
  cacheEvicted(cacheType: string, reason: string): void {
    this.counter('cache_evictions_total').row(cacheType, reason).add();
  }

  /** @param entries counts that are kept after the refresh */
  auditCacheRefreshed(seconds: number, entries: number): void {
    this.histogram('audit_cache_refresh_duration_seconds').row().observe(seconds);
    this.gauge('audit_cache_entries').set(entries);
  }

  /** @param where what told the worker: `write`, `lease`, `check` */
  ownershipLost(where: string): void {
    this.counter('ownership_losses_total').row(where).add();
  }

  /** @param provider the label is not bounded here: the caller does it @param dollars null: nobody knows */
  aiUsed(provider: string, tokens: number, dollars: number | null): void {
    this.counter('ai_tokens_total').row(provider).add(tokens);
    if (dollars !== null) this.counter('ai_cost_dollars').row(provider).add(dollars);
  }

  /** @param kind model, approval, tool or child */
  agentStep(kind: string, outcome: 'done' | 'failed' | 'rejected'): void {
    this.counter('agent_steps_total').row(kind, outcome).add();
  }

  /** @param shares null: the store does not say @param backupSeconds null: there is no backup */
  storesFilled(shares: Readonly<Record<'mongodb' | 'redis', number | null>>, backupSeconds: number | null): void {
    const used = this.gauge('store_used_ratio');
    used.reset();
    for (const [store, share] of Object.entries(shares)) if (share !== null) used.set({ store }, share);
    if (backupSeconds === null) this.gauge('backup_age_seconds').remove();
    else this.gauge('backup_age_seconds').set(backupSeconds);
  }

  companyPlay(companyId: string): void {
    this.counter('company_plays_total').row(companyId).add();
  }

  /** Replaces what was said before. @param bytes by company; the caller gives no more than a page can hold */
  companyStored(bytes: ReadonlyMap<string, number>): void {
    const gauge = this.gauge('company_stored_bytes');
    gauge.reset();
    for (const [company_id, stored] of bytes) gauge.set({ company_id }, stored);
  }

  companyLayers(companyId: string, seconds: number): void {
    this.counter('company_layer_seconds_total').row(companyId).add(seconds);
  }

  companyModels(companyId: string, dollars: number): void {
    this.counter('company_model_dollars_total').row(companyId).add(dollars);
  }

  /** @param figures null: they are not known, and the page does not show them */
  queue(figures: QueueStats | null): void {
    const values = {
      run_window: figures?.runWindow,
      backlog_plays: figures?.backlog,
      running_plays: figures?.running,
      queue_oldest_age_seconds: figures?.oldestSeconds,
      lane_waiting_plays: figures?.lanes.waiting,
      lanes_stopped: figures?.lanes.stopped,
    } as const;
    for (const name of Object.keys(values) as (keyof typeof values)[]) {
      const value = values[name];
      if (value === undefined) this.gauge(name).remove();
      else this.gauge(name).set(value);
    }
    const [backlog, running, workers] = LABEL_GAUGES.map((name) => this.gauge(name));
    for (const gauge of [backlog, running, workers]) gauge?.reset();
    for (const [label, of] of figures?.labels ?? []) {
      backlog?.set({ label }, of.backlog);
      running?.set({ label }, of.running);
      workers?.set({ label }, of.workers);
    }
  }

  liveSockets(open: number): void {
    this.gauge('live_sockets').set(open);
  }

  sqlSessions(open: number): void {
    this.gauge('sql_sessions_open').set(open);
  }

  noticesPublished(count: number): void {
    this.counter('play_notices_published_total').row().add(count);
  }

  noticesDropped(count: number): void {
    this.counter('play_notices_dropped_total').row().add(count);
  }

  spansDropped(count: number): void {
    this.counter('trace_spans_dropped_total').row().add(count);
  }

  logLineDropped(): void {
    this.counter('log_lines_dropped_total').row().add();
  }

  webhookAttempt(outcome: 'delivered' | 'refused' | 'unanswered', seconds: number): void {
    this.counter('webhook_attempts_total').row(outcome).add();
    this.histogram('webhook_attempt_duration_seconds').row().observe(seconds);
  }

  /** @param stuckSeconds of the source that has been stuck for longest; 0: none is */
  sources(now: { readonly unread: number; readonly stuckSeconds: number }): void {
    this.gauge('source_messages_unread').set(now.unread);
    this.gauge('source_stuck_seconds').set(now.stuckSeconds);
  }

  webhookEnded(state: 'delivered' | 'failed' | 'aborted'): void {
    this.counter('webhook_deliveries_ended_total').row(state).add();
  }

  webhookDisabled(reason: 'dead' | 'gone' | 'asked'): void {
    this.counter('webhook_disabled_total').row(reason).add();
  }

  /** @param oldestSeconds null: nothing is pending */
  webhooks(now: {
    readonly inFlight: number;
    readonly failing: number;
    readonly behind: number;
    readonly oldestSeconds: number | null;
  }): void {
    this.gauge('webhook_attempts_in_flight').set(now.inFlight);
    this.gauge('webhook_failing_endpoints').set(now.failing);
    this.gauge('webhook_endpoints_behind').set(now.behind);
    this.gauge('webhook_oldest_pending_seconds').set(now.oldestSeconds ?? 0);
  }

  destinationMoved(to: 'down' | 'recovering' | 'up'): void {
    this.counter('destination_moves_total').row(to).add();
  }

  destinationCallsWaiting(count: number): void {
    this.gauge('destination_calls_waiting').set(count);
  }

  destinationProbed(succeeded: boolean): void {
    this.counter('destination_probes_total')
      .row(succeeded ? 'answered' : 'failed')
      .add();
  }

  destinationPlaysReleased(count: number): void {
    this.counter('destination_plays_released_total').row().add(count);
  }

  destinations(counts: Readonly<Record<'down' | 'recovering', number>>): void {
    for (const state of ['down', 'recovering'] as const) this.gauge('destinations').set({ state }, counts[state]);
  }

  /** @param operation the driver's word: find, aggregate, insert, update, delete, findAndModify, … */
  mongoOperation(collection: string, operation: string, seconds: number): void {
    this.storeOperations.row(collection, operation).add();
    this.storeSeconds.row(collection, operation).observe(seconds);
    this.storeQuantiles.row(collection, operation).observe(seconds);
    if (seconds >= SLOW_SECONDS) this.slow.row(collection).add();
  }

  mongoPool(open: number, inUse: number): void {
    this.gauge('mongodb_connections_open').set(open);
    this.gauge('mongodb_connections_idle').set(Math.max(0, open - inUse));
    this.gauge('mongodb_pool_size_current').set(open);
  }

  /** @param parts whether each of them is well */
  health(parts: ReadonlyMap<HealthPart, boolean>): void {
    for (const [part, isWell] of parts) this.gauge('health').set({ part }, isWell ? 1 : 0);
  }

  /** @param seconds by which this machine's clock is ahead of MongoDB's */
  clockOffset(seconds: number): void {
    this.gauge('clock_offset_seconds').set(seconds);
  }

  buildInfo(version: string): void {
    this.gauge('build_info').set({ version }, 1);
  }

  /** A row that the caller keeps, for code that counts one thing very often. */
  counterRow(name: NameOf<'counter'>, ...labels: readonly string[]): CounterRow {
    return this.counter(name).row(...labels);
  }

  /** Runs before each page, to set gauges that would be costly to keep at all times. */
  beforeRead(read: () => void): void {
    this.readers.push(read);
  }

  /** The page in Prometheus' text format. */
  async page(): Promise<string> {
    this.readProcess();
    for (const read of this.readers) read();
    return this.registry.metrics();
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** Stops the observation of the event loop. */
  close(): void {
    this.eventLoop.stop();
  }

  private readProcess(): void {
    this.gauge('process_memory_bytes').set(process.memoryUsage.rss());
    const { lagSeconds, utilization } = this.eventLoop.read();
    const lag = this.gauge('event_loop_lag_seconds');
    for (const [percentile, seconds] of lagSeconds) lag.set({ percentile }, seconds);
    this.gauge('event_loop_utilization').set(utilization);
  }
}
