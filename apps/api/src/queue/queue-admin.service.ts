import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { SETTINGS, type Settings } from '@weft/config';
import { WeftError, type Drainable } from '@weft/kernel';
import { isStoreUnavailable, Mongo, SystemScope, TenantScope } from '@weft/store';
import { OpenWorkRepository, waitingSince, type OpenWork } from '@weft/records';
import { LiveWorkers, QueueInspector, workersOf, type LiveWorker } from '@weft/queue';
import { QueueKeys } from '@weft/redis';
import { CompanyLimits } from '@weft/runs';
import { CompanyWorkReader } from './company-work.js';
import { MOST_COUNTED, type QueueView, type ShardView, type WorkerView } from './queue.view.js';

const RETRY_AFTER_SECONDS = 2;
const COMPANIES_SHOWN = 10;
const ALL = new SystemScope('operators see the queue of all companies');

/** The queue and its workers: of the installation for operators, else of the caller's company alone. */
@Injectable()
export class QueueAdminService implements Drainable {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly mongo: Mongo,
    private readonly keys: QueueKeys,
    private readonly queue: QueueInspector,
    private readonly workers: LiveWorkers,
    private readonly plays: OpenWorkRepository,
    private readonly company: CompanyWorkReader,
    private readonly limits: CompanyLimits,
  ) {}

  /** @throws WeftError `store_unavailable` while Redis is unreachable */
  async read(caller: Principal): Promise<QueueView> {
    try {
      return await (caller.operator ? this.ofAll() : this.ofCompany(new TenantScope(caller.companyId)));
    } catch (cause) {
      if (isStoreUnavailable(cause)) throw cause;
      throw new WeftError(
        'store_unavailable',
        'Redis, which holds the queue, does not answer; try again in a moment.',
        {
          cause,
          retryAfterSeconds: RETRY_AFTER_SECONDS,
        },
      );
    }
  }

  async drain(): Promise<void> {
    await this.queue.close();
  }

  private async ofAll(): Promise<QueueView> {
    const now = this.mongo.serverNow();
    const [depths, behind, queued, companies, workers] = await Promise.all([
      this.queue.shards(),
      this.plays.outsideWindow(ALL, this.settings.run.backlogMax),
      this.plays.queued(ALL, this.settings.run.backlogMax),
      this.plays.waitingCompanies(ALL, COMPANIES_SHOWN, MOST_COUNTED),
      this.workers.list(),
    ]);
    const shards = depths.map(({ name, waiting, active, oldestSince }) => ({
      ...{ name, waiting, active },
      oldest_ms: oldestSince && ageAt(now, oldestSince.getTime()),
    }));
    return {
      shards,
      workers: workers.map((worker) => toWorkerView(worker, worker.running ?? 0)),
      backlog: shards.reduce((sum, { waiting }) => sum + waiting, behind.count + queued.count),
      companies: companies.map(({ companyId, isCapped, ...of }) => ({
        company_id: companyId,
        ...of,
        capped: isCapped,
      })),
    };
  }

  /** What others have in the queue, how busy they keep a worker, and which workers are theirs alone, is not to be seen. */
  private async ofCompany(scope: TenantScope): Promise<QueueView> {
    const now = this.mongo.serverNow();
    const [{ running, waiting, backlog }, all, label] = await Promise.all([
      this.company.read(scope),
      this.workers.list(),
      this.limits.workerLabel(scope.companyId),
    ]);
    const workers = workersOf(all, label);
    const keys = this.keys.of(label);
    const shards = Array.from({ length: keys.shards }, (_, shard): ShardView => {
      const here = ({ _id }: OpenWork) => keys.shardOf(_id) === shard;
      const since = waiting.filter(here).map((play) => waitingSince(play).getTime());
      return {
        name: keys.queue(shard),
        waiting: since.length,
        active: running.filter(here).length,
        oldest_ms: since.length === 0 ? null : ageAt(now, Math.min(...since)),
      };
    });
    const runningAt = (id: string) => running.filter(({ owner }) => owner?.startsWith(`${id}:`)).length;
    return {
      shards,
      workers: workers.map((worker) => toWorkerView(worker, runningAt(worker.id))),
      backlog,
      companies: [],
    };
  }
}

function toWorkerView({ id, label, version, startedAt, at }: LiveWorker, running: number): WorkerView {
  return {
    id,
    label: label ?? null,
    version: version ?? null,
    started_at: startedAt === undefined ? null : new Date(startedAt).toISOString(),
    running,
    seen_at: new Date(at).toISOString(),
  };
}

function ageAt(nowMs: number, sinceMs: number): number {
  return Math.max(0, Math.round(nowMs - sinceMs));
}
