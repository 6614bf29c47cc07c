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
  /** Of these, the ones that are not this worker's any more. */
  private readonly forgotten = new Set<Job<QueueJob>>();
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

  /**
   * Plays have ended or were given back. The processor of a job calls this for each play of the job.
   *
   * @param isEnd the job ends with them. Otherwise BullMQ's loop, which sees the ends of jobs alone, has to be woken when there is
   * room again.
   */
  leave(plays: number, isEnd: boolean): void {
    const wasFull = this.room.free === 0;
    this.room.leave(plays);
    this.adjust();
    if (wasFull && !isEnd && this.room.free > 0) this.lookAgain();
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
  forget(job: Job<QueueJob>): void {
    this.forgotten.add(job);
    this.lockManager.untrackJob(job.id ?? '');
  }

  /** A fetch takes a place until its answer tells how many plays come. */
  protected override async moveToActive(...args: Parameters<Worker<QueueJob>['moveToActive']>) {
    this.room.take(1);
    try {
      return await super.moveToActive(...args);
    } finally {
      this.room.leave(1);
      this.adjust();
    }
  }

  /** Every look ends here, whether it found a job or not, including the one that follows the end of another job. */
  protected override async nextJobFromJobData(...args: Parameters<Worker<QueueJob>['nextJobFromJobData']>) {
    this.lastLookMs = performance.now();
    const job = await super.nextJobFromJobData(...args);
    if (!job) return job;
    this.jobs.add(job);
    this.room.take(playsIn(job));
    this.adjust();
    return job;
  }

  override async processJob(job: Job<QueueJob>, token: string, fetchNext: () => boolean = () => true) {
    // BullMQ fails it without asking its processor
    if (job.deferredFailure) this.room.leave(playsIn(job));
    let places = 0;
    const mayFetch = (): boolean => {
      if (places === 1) return true; // BullMQ asks again when it has to repeat the end of the job
      if (this.room.free === 0 || !fetchNext()) return false;
      places = 1;
      this.room.take(places);
      return true;
    };
    try {
      return await super.processJob(job, token, mayFetch);
    } finally {
      this.room.leave(places);
      this.jobs.delete(job);
      this.adjust();
      if (this.forgotten.delete(job)) this.keepLockOf(job.id);
    }
  }

  /** BullMQ tells jobs by their ids: with the end of one that was forgotten, it forgets a later hand-out of the same job. */
  private keepLockOf(jobId: string | undefined): void {
    for (const { id, token } of this.jobs) {
      if (id !== undefined && id === jobId && token !== undefined) this.lockManager.trackJob(id, token, Date.now());
    }
  }

  private lookAgain(): void {
    const loop = Reflect.get(this, 'mainLoopQueue') as LoopQueue | null;
    loop?.add(Promise.resolve(undefined));
  }

  /** BullMQ counts jobs. */
  private adjust(): void {
    this.concurrency = Math.max(1, this.jobs.size + this.room.free);
  }
}

function playsIn({ data }: Job<QueueJob>): number {
  return isGroupJob(data) ? data.plays.length : 1;
}
