import type { PlayJob } from '@weft/contracts';
import { openRedis } from '@weft/redis';
import { DelayedError, Worker, type Job } from 'bullmq';
import type { PlayConsumerOptions } from './play-consumer.js';
import { SlotReserve } from './slot-reserve.js';

/** Time between two looks for jobs whose lock has expired. */
const LOOK_FOR_STALLED_MS = 5_000;

/** Takes jobs from the queue of one shard, and gives back those that find no slot. */
export class ShardConsumer {
  private readonly connection;
  private readonly worker: MarkedWorker;
  private readonly reserve: SlotReserve;

  constructor(
    private readonly options: PlayConsumerOptions,
    shard: number,
    slots: number,
  ) {
    const { keys, bootId } = options;
    this.reserve = new SlotReserve({ slots, promote: (jobId) => this.promote(jobId) });
    this.connection = openRedis(options.redisUrl, 'blocking', `worker-${bootId}`);
    this.worker = new MarkedWorker(keys.queue(shard), (job: Job<PlayJob>, token) => this.process(job, token), {
      connection: this.connection,
      prefix: keys.queuePrefix(shard),
      name: bootId,
      autorun: false,
      concurrency: this.reserve.handOuts,
      lockDuration: options.lockMs,
      stalledInterval: LOOK_FOR_STALLED_MS,
      maxStalledCount: 10,
      removeOnComplete: { count: 0 },
      drainDelay: 5,
      runRetryDelay: 500,
    });
    this.worker.on('error', options.onError);
  }

  start(): void {
    this.worker.run().catch(this.options.onError);
  }

  /** Milliseconds since it last looked for work; 0 while it cannot take any. */
  get silentMs(): number {
    return this.worker.silentMs;
  }

  /** Stops taking jobs. Plays that run go on; jobs that wait for a slot are given back. */
  async stopTaking(): Promise<void> {
    // first it stops fetching, or it would fetch again what it gives back
    const paused = this.worker.pause(true);
    this.reserve.stop();
    await paused;
  }

  /** @param force without completing what runs */
  async close(force: boolean): Promise<void> {
    await this.worker.close(force).catch(this.options.onError);
    this.connection.disconnect();
  }

  private async process(job: Job<PlayJob>, token: string | undefined): Promise<void> {
    const { id: jobId = '', data } = job;
    const delayMs = await this.reserve.ask(jobId, data.companyId);
    if (delayMs !== null) {
      // BullMQ does not count this hand-out then: no work was begun, so it does not make the next hand-out a re-delivery
      const isBack = await this.moveToDelayed(job, token, delayMs, { ats: String(job.attemptsStarted - 1) });
      if (isBack) this.reserve.wasGivenBack(jobId, data.companyId, delayMs);
      throw new DelayedError();
    }
    const againInMs = await this.run(job).finally(() => this.reserve.end(data.companyId));
    if (againInMs === null) return;
    await this.moveToDelayed(job, token, againInMs);
    throw new DelayedError();
  }

  private async run({ data, attemptsStarted, processedOn = 0 }: Job<PlayJob>): Promise<number | null> {
    const age = Date.now() - processedOn;
    const handedOutAtMs = age >= 0 ? performance.now() - age : Number.NEGATIVE_INFINITY;
    try {
      return await this.options.run({ job: data, redelivered: attemptsStarted > 1, handedOutAtMs });
    } catch (error) {
      this.options.onError(asError(error));
      return null;
    }
  }

  /**
   * One script. It changes nothing when another worker has the job by now.
   *
   * @param fields of the job's record that the script sets, too
   */
  private async moveToDelayed(
    { id = '' }: Job<PlayJob>,
    token: string | undefined,
    delayMs: number,
    fields?: Readonly<Record<string, string>>,
  ): Promise<boolean> {
    // 0: every worker counts it as due, whatever its clock shows
    const now = delayMs === 0 ? 0 : (this.options.clockMs ?? Date.now)();
    try {
      await this.worker.backend.moveToDelayed(id, now, delayMs, token, { skipAttempt: true, fieldsToUpdate: fields });
      return true;
    } catch (error) {
      // it is handed out again when its lock has expired; if Redis has lost it, the reconciler rings for the play
      this.options.onError(asError(error));
      return false;
    }
  }

  private async promote(jobId: string): Promise<boolean> {
    return this.worker.backend.promote(jobId).then(
      () => true,
      () => false, // it is not delayed any more
    );
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** BullMQ's worker, which records each look for work: a consumer that stops looking is stuck, whatever its state says. */
class MarkedWorker extends Worker<PlayJob> {
  private lastLookMs = performance.now();

  /** 0 while all its slots are taken or it is paused: it has no reason to look then. */
  get silentMs(): number {
    const idle = this.isRunning() && !this.isPaused() && this.lockManager.getActiveJobCount() < this.concurrency;
    return idle ? performance.now() - this.lastLookMs : 0;
  }

  /** Every look ends here, whether it found a job or not, including the one that follows the end of another job. */
  protected override async nextJobFromJobData(...args: Parameters<Worker<PlayJob>['nextJobFromJobData']>) {
    this.lastLookMs = performance.now();
    return super.nextJobFromJobData(...args);
  }
}
