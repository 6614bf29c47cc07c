import type { PlayJob } from '@weft/contracts';
import { DelayedError, Worker, type Job } from 'bullmq';
import { openRedis } from './redis.js';
import type { QueueKeys } from './keys.js';

/** How soon after its lock has expired a job is handed out again. */
const LOOK_FOR_STALLED_MS = 5_000;

/** A job as a worker was given it. */
export interface HandOut {
  readonly job: PlayJob;
  /** BullMQ handed it out before: whoever had it died, froze or lost its lock. */
  readonly redelivered: boolean;
  /** Monotonic time from before the fetch that handed it out; stale (−∞) when the wall clock cannot tell. */
  readonly handedOutAtMs: number;
}

export interface PlayConsumerOptions {
  readonly redisUrl: string;
  readonly keys: QueueKeys;
  /** Plays taken at once, over all shards. */
  readonly slots: number;
  readonly lockMs: number;
  /** Names this process on its connections. */
  readonly bootId: string;
  /**
   * Does the work. Resolves with null, or with the milliseconds after which the job is to be handed out again because nothing
   * was done. A rejection is a defect: the job is completed all the same, the reconciler looks after the play.
   */
  readonly run: (handOut: HandOut) => Promise<number | null>;
  readonly onError: (error: Error) => void;
}

/**
 * Takes plays from the queue, never more than it starts at once. BullMQ's own recovery only hands out again; what that
 * means is decided by the protocol, so it never gives a job up (`maxStalledCount`).
 */
export class PlayConsumer {
  private readonly workers: MarkedWorker[];
  private readonly connections: { disconnect(): void }[] = [];

  constructor(private readonly options: PlayConsumerOptions) {
    const { keys, slots } = options;
    const perShard = Math.max(1, Math.ceil(slots / keys.shards));
    this.workers = Array.from({ length: keys.shards }, (_, shard) => {
      const connection = openRedis(options.redisUrl, 'blocking', `worker-${options.bootId}`);
      this.connections.push(connection);
      const worker = new MarkedWorker(keys.queue(shard), (job: Job<PlayJob>, token) => this.process(job, token), {
        connection,
        prefix: keys.queuePrefix(shard),
        name: options.bootId,
        autorun: false,
        concurrency: perShard,
        lockDuration: options.lockMs,
        stalledInterval: LOOK_FOR_STALLED_MS,
        maxStalledCount: 10,
        removeOnComplete: { count: 0 },
        drainDelay: 5,
        runRetryDelay: 500,
      });
      worker.on('error', options.onError);
      return worker;
    });
  }

  start(): void {
    for (const worker of this.workers) worker.run().catch(this.options.onError);
  }

  /** Milliseconds since the shard that is longest without one last looked for work, its own busy slots left aside. */
  get silentMs(): number {
    return Math.max(...this.workers.map((worker) => worker.silentMs));
  }

  /** Stops taking; what runs goes on. */
  async stopTaking(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.pause(true)));
  }

  /** @param force without completing what runs */
  async close(force: boolean): Promise<void> {
    await Promise.allSettled(this.workers.map((worker) => worker.close(force)));
    for (const connection of this.connections) connection.disconnect();
  }

  private async process(job: Job<PlayJob>, token: string | undefined): Promise<void> {
    const againInMs = await this.run(job);
    if (againInMs !== null) await this.park(job, token, againInMs);
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

  /** @throws DelayedError always: it tells BullMQ to leave the job where it is now */
  private async park(job: Job<PlayJob>, token: string | undefined, ms: number): Promise<never> {
    try {
      await job.moveToDelayed(Date.now() + ms, token);
    } catch (error) {
      // it comes again when its lock has expired; where Redis has lost it, the reconciler rings for the play
      this.options.onError(asError(error));
    }
    throw new DelayedError();
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** BullMQ's worker, marking each look for work: a consumer that stops looking is wedged, whatever its state says. */
class MarkedWorker extends Worker<PlayJob> {
  private lastLookMs = performance.now();

  /** 0 while all its slots are taken or it is paused: then it has no reason to look. */
  get silentMs(): number {
    const idle = this.isRunning() && !this.isPaused() && this.lockManager.getActiveJobCount() < this.concurrency;
    return idle ? performance.now() - this.lastLookMs : 0;
  }

  /** Every look ends here, whether it found a job or not, also the one that follows the end of another job. */
  protected override async nextJobFromJobData(...args: Parameters<Worker<PlayJob>['nextJobFromJobData']>) {
    this.lastLookMs = performance.now();
    return super.nextJobFromJobData(...args);
  }
}
