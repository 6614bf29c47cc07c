import { isGroupJob, playsOfJob, type GroupJob, type PlayJob, type QueueJob } from '@weft/contracts';
import { openRedis } from '@weft/redis';
import { DelayedError, type Job } from 'bullmq';
import type { HandOut, PlayConsumerOptions } from './play-consumer.js';
import { RoomWorker } from './room-worker.js';
import { SlotReserve } from '../fairness/slot-reserve.js';

/** When Redis could not take the plays of a job one by one, the job is handed out again after this time. */
const SPLIT_AGAIN_MS = 1_000;

/** Takes jobs from the queue of one shard, and gives back those that find no slot. */
export class ShardConsumer {
  private readonly connection;
  private readonly worker: RoomWorker;
  private readonly reserve: SlotReserve;

  constructor(
    private readonly options: PlayConsumerOptions,
    shard: number,
    slots: number,
  ) {
    const { keys, bootId } = options;
    this.reserve = new SlotReserve({ slots, promote: (jobId) => this.promote(jobId) });
    this.connection = openRedis(options.redisUrl, 'blocking', `worker-${bootId}`);
    const process = (job: Job<QueueJob>, token?: string) => this.process(job, token);
    this.worker = new RoomWorker(keys.queue(shard), process, this.reserve.handOuts, {
      connection: this.connection,
      prefix: keys.queuePrefix(shard),
      name: bootId,
      autorun: false,
      lockDuration: options.lockMs,
      stalledInterval: options.stalledMs,
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
    const paused = this.worker.stopTaking();
    this.reserve.stop();
    await paused;
  }

  /** @param force without completing what runs */
  async close(force: boolean): Promise<void> {
    // without a connection nothing can be completed, and BullMQ would wait for one
    await this.worker.close(force || this.connection.status !== 'ready').catch(this.options.onError);
    this.connection.disconnect();
  }

  private process(job: Job<QueueJob>, token: string | undefined): Promise<void> {
    const { data } = job;
    return isGroupJob(data) ? this.processGroup(job, token, data) : this.processOne(job, token, data);
  }

  private async processOne(job: Job<QueueJob>, token: string | undefined, play: PlayJob): Promise<void> {
    const { id: jobId = '', attemptsStarted } = job;
    try {
      const delayMs = await this.reserve.ask(jobId, play.companyId);
      if (delayMs !== null) {
        await this.giveBack(job, token, delayMs);
        throw new DelayedError();
      }
      const { handedOut = false, ...own } = play; // only of this job: the next ring of the play says nothing of it
      const redelivered = handedOut || attemptsStarted > 1;
      const againInMs = await this.run({ job: own, redelivered, handedOutAtMs: handedOutAt(job) });
      if (againInMs === null) return;
      await this.moveToDelayed(job, token, againInMs);
      throw new DelayedError();
    } finally {
      this.worker.leave(1, true);
    }
  }

  /**
   * The job of several plays has ended as soon as none of them needs it: each has ended or has an owner, whose lease tells
   * whether it lives. So a play that takes long keeps neither the job nor the others. Those that find no slot are given back in
   * the same job, once no play that has begun needs it.
   */
  private async processGroup(job: Job<QueueJob>, token: string | undefined, data: GroupJob): Promise<void> {
    const { id: jobId = '', attemptsStarted } = job;
    const plays = playsOfJob(data);
    if (attemptsStarted > 1) return this.split(job, token, plays);
    const group = { unsettled: plays.length };
    const begun: Promise<void>[] = [];
    const ask = () => this.reserve.ask(jobId, data.companyId);
    for (const [position, play] of plays.entries()) {
      const answer = ask();
      let delayMs = answer instanceof Promise ? await answer : answer; // as many as may begin, before another job's
      if (delayMs !== null && group.unsettled > plays.length - position) {
        // a play without a job and without an owner counts as a lost ring, and another worker would call its first layer, too
        await Promise.all(begun);
        delayMs = await ask();
      }
      if (delayMs === null) {
        begun.push(this.begin(play, handedOutAt(job), group));
        continue;
      }
      await this.giveBack(job, token, delayMs, { ...data, plays: data.plays.slice(position) });
      this.worker.forget(job);
      this.worker.leave(plays.length - position, begun.length === 0);
      if (begun.length > 0) await this.worker.untilRoom();
      throw new DelayedError();
    }
    await Promise.all(begun);
    // BullMQ's loop must not find itself without a job and without room: it would fetch the next job nevertheless
    await this.worker.untilRoom();
  }

  /** Resolves when the play has ended or has an owner. */
  private async begin(job: PlayJob, handedOutAtMs: number, group: { unsettled: number }): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    let isSettled = false;
    /** @returns false: it was settled before */
    const settle = (): boolean => {
      if (isSettled) return false;
      isSettled = true;
      group.unsettled -= 1;
      resolve();
      return true;
    };
    const end = async (): Promise<void> => {
      const againInMs = await this.run({ job, redelivered: false, handedOutAtMs, onClaimed: () => void settle() });
      if (againInMs !== null) await this.options.ring([{ ...job, handedOut: true }]);
      const isLast = settle() && group.unsettled === 0;
      this.worker.leave(1, isLast);
    };
    void end(); // never rejects
    await promise;
  }

  /**
   * The worker that had these plays died, froze or lost its lock: any of them may be the cause. From now on each has a job of
   * its own.
   */
  private async split(job: Job<QueueJob>, token: string | undefined, plays: readonly PlayJob[]): Promise<void> {
    this.worker.leave(plays.length, true);
    if (await this.options.ring(plays.map((play) => ({ ...play, handedOut: true })))) return;
    await this.moveToDelayed(job, token, SPLIT_AGAIN_MS);
    throw new DelayedError();
  }

  private async run(handOut: HandOut): Promise<number | null> {
    try {
      return await this.options.run(handOut);
    } catch (error) {
      this.options.onError(asError(error));
      return null;
    } finally {
      this.reserve.end(handOut.job.companyId);
    }
  }

  /** @param rest of the job, whose other plays have begun; default: all of it */
  private async giveBack(
    job: Job<QueueJob>,
    token: string | undefined,
    delayMs: number,
    rest: QueueJob = job.data,
  ): Promise<void> {
    const { id: jobId = '', data } = job;
    // BullMQ does not count this hand-out then: no work was begun, so it does not make the next hand-out a re-delivery
    const fields = { ats: String(job.attemptsStarted - 1), ...(rest !== data && { data: JSON.stringify(rest) }) };
    const isBack = await this.moveToDelayed(job, token, delayMs, fields);
    if (isBack) this.reserve.wasGivenBack(jobId, data.companyId, delayMs);
  }

  /**
   * One script. It changes nothing when another worker has the job by now.
   *
   * @param fields of the job's record that the script sets, too
   */
  private async moveToDelayed(
    { id = '' }: Job<QueueJob>,
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

/** Monotonic time from before the fetch; −∞ (stale) when the wall clock cannot tell. */
function handedOutAt({ processedOn = 0 }: Job<QueueJob>): number {
  const age = Date.now() - processedOn;
  return age >= 0 ? performance.now() - age : Number.NEGATIVE_INFINITY;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
