import { isGroupJob, type QueueJob } from '@weft/contracts';
import { Worker, type Job, type Processor, type WorkerOptions } from 'bullmq';
import { FetchRoom } from './fetch-room.js';

/** A queue of promises inside BullMQ's loop, which goes on whenever one of them is resolved. */
interface LoopQueue {
  add(promise: Promise<undefined>): void;
}

/**
 * BullMQ's worker, which takes jobs while it has room for their plays, and records each look for work: a consumer that stops
 * looking is stuck, whatever its state says.
 */
export class RoomWorker extends Worker<QueueJob> {
  private readonly room: FetchRoom;
  /** Jobs that were fetched and have not ended here. */
  private readonly jobs = new Set<Job<QueueJob>>();
  private lastLookMs = performance.now();

  /** @param places the most plays that it holds */
  constructor(name: string, processor: Processor<QueueJob>, places: number, options: WorkerOptions) {
    super(name, processor, { ...options, concurrency: places });
    this.room = new FetchRoom(places);
  }

  /** 0 while it has no room or is paused: it has no reason to look then. */
  get silentMs(): number {
    const idle = this.isRunning() && !this.isPaused() && this.room.free > 0;
    return idle ? performance.now() - this.lastLookMs : 0;
  }

  /** Plays have ended or were given back. The processor of a job calls this for each play of the job. */
  leave(plays: number): void {
    this.room.leave(plays);
    this.adjust();
  }

  /** A play has ended whose job had ended before: BullMQ's loop sees only the ends of jobs. */
  lookAgain(): void {
    const loop = Reflect.get(this, 'mainLoopQueue') as LoopQueue | null;
    loop?.add(Promise.resolve(undefined));
  }

  /** Resolves when there is room for another play, or when the consumer stops. */
  untilRoom(): Promise<void> {
    return this.room.some();
  }

  stopTaking(): Promise<void> {
    this.room.stop();
    return this.pause(true);
  }

  /** The job is not this worker's any more, although its processor goes on: its lock is not renewed. */
  forget(jobId: string): void {
    this.lockManager.untrackJob(jobId);
  }

  /** Every look ends here, whether it found a job or not, including the one that follows the end of another job. */
  protected override async nextJobFromJobData(...args: Parameters<Worker<QueueJob>['nextJobFromJobData']>) {
    this.lastLookMs = performance.now();
    const job = await super.nextJobFromJobData(...args);
    if (!job) return job;
    this.jobs.add(job);
    this.room.take(isGroupJob(job.data) ? job.data.plays.length : 1);
    this.adjust();
    return job;
  }

  override async processJob(job: Job<QueueJob>, token: string, fetchNext: () => boolean = () => true) {
    try {
      return await super.processJob(job, token, () => this.room.free > 0 && fetchNext());
    } finally {
      this.jobs.delete(job);
      this.adjust();
    }
  }

  /** BullMQ counts jobs. */
  private adjust(): void {
    this.concurrency = Math.max(1, this.jobs.size + this.room.free);
  }
}
