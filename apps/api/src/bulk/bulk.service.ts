import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import type { Page } from '@weft/contracts';
import { NEW_ID, WeftError, type NewId } from '@weft/kernel';
import { LOG, Metrics, warnRarely } from '@weft/observability';
import { Mongo, TenantScope, type AuditAction } from '@weft/store';
import { BULKS, BulkRepository, type NewBulk } from '@weft/records';
import { BulkRunner, Pass, PassRunner } from '@weft/process';
import type { Logger } from 'pino';
import { actorEntry, type Actor } from '../audit/actor-entry.js';
import { toPage, toPageRequest, type PageQuery } from '../http/paging.js';
import { toBulkView, type BulkView } from './bulk.view.js';
import { PLAYS_KIND, PlayBulkStrategy } from './play-bulk.strategy.js';

const PASS = 'bulk operations';
/** What a replica leaves that dies, the others do by then, once its lease is over. */
const RESTS_FOR_MS = 10_000;
/** Of a company at once. */
const MAX_RUNNING = 10;
const RETRY_AFTER_SECONDS = 10;

/** What is to be done, without who asks for it. */
export type BulkOrder = Pick<NewBulk, 'kind' | 'action' | 'matched' | 'target' | 'ratePerSecond'>;

/** Bulk operations of a company, and their execution in this process. Every replica of the API carries them out. */
@Injectable()
export class BulkService {
  private readonly runner: BulkRunner;

  constructor(
    private readonly bulks: BulkRepository,
    mongo: Mongo,
    @Inject(NEW_ID) private readonly newId: NewId,
    @Inject(LOG) log: Logger,
    metrics: Metrics,
    plays: PlayBulkStrategy,
    private readonly passes: PassRunner,
  ) {
    this.runner = new BulkRunner({
      store: bulks,
      strategies: [plays],
      serverNow: () => mongo.serverNow(),
      onBatch: (action, tally) => {
        // the next batch may be due in a second
        passes.wake(PASS);
        for (const outcome of ['changed', 'skipped', 'failed'] as const)
          metrics.bulkItems(action, outcome, tally[outcome]);
      },
      onFault: warnRarely(log, 'bulk', 'a batch of a bulk operation failed; it is done again'),
    });
  }

  /** Lasts for as long as there is something to do. */
  @Pass({ name: PASS, everyMs: 1_000, restMs: RESTS_FOR_MS, longestMs: Number.POSITIVE_INFINITY })
  carryOut(signal: AbortSignal): Promise<void> {
    return this.runner.pass(signal);
  }

  /** @throws WeftError `too_many_bulks` */
  async start(actor: Actor, order: BulkOrder): Promise<BulkView> {
    const { caller, origin } = actor;
    const { address, requestId } = origin;
    const requestedBy = { userId: caller.userId, address, requestId };
    const bulk = { ...order, _id: this.newId(), company_id: caller.companyId, requestedBy };
    const changes = { action: { before: null, after: order.action }, matched: { before: null, after: order.matched } };
    const entry = actorEntry(actor, 'bulk_started', subjectOf(bulk._id), changes);
    const started = await this.bulks.start(new TenantScope(caller.companyId), bulk, MAX_RUNNING, entry);
    if (!started) {
      throw new WeftError(
        'too_many_bulks',
        `Your company has ${MAX_RUNNING} bulk operations that run. Try again later.`,
        {
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        },
      );
    }
    this.runner.look();
    this.passes.soon(PASS);
    return toBulkView(started);
  }

  async list(caller: Principal, query: PageQuery): Promise<Page<BulkView>> {
    const request = toPageRequest(query);
    return toPage(request, await this.bulks.list(new TenantScope(caller.companyId), request), toBulkView);
  }

  /** @throws WeftError `not_found` */
  async read(caller: Principal, id: string): Promise<BulkView> {
    const bulk = await this.bulks.find(new TenantScope(caller.companyId), id);
    if (!bulk) throw new WeftError('not_found', 'There is no bulk operation with this id.');
    return toBulkView(bulk);
  }

  /**
   * What was changed stays changed; the batch that is being done is finished. An operation that has ended stays as it is.
   *
   * @throws WeftError `not_found`, `denied`
   */
  async abort(actor: Actor, id: string): Promise<BulkView> {
    const { caller } = actor;
    const scope = new TenantScope(caller.companyId);
    const bulk = await this.bulks.find(scope, id);
    if (!bulk) throw new WeftError('not_found', 'There is no bulk operation with this id.');
    if (bulk.kind !== PLAYS_KIND && caller.role !== 'admin') {
      throw new WeftError('denied', 'Only admins abort this bulk operation.');
    }
    const action: AuditAction = 'bulk_aborted';
    if (bulk.state === 'running') await this.bulks.abort(scope, id, actorEntry(actor, action, subjectOf(id)));
    return this.read(caller, id);
  }
}

function subjectOf(id: string) {
  return { collection: BULKS, resource_type: 'bulk', resource_id: id };
}
