import { FairShareScheduler, type FairShareOptions } from './fair-share-scheduler.js';

export interface FairTaskRunnerOptions<Task> extends FairShareOptions {
  /** Runs a task; its slot is free again when the promise resolves. Never rejects. */
  readonly run: (task: Task, companyId: string) => Promise<void>;
  /** Called with a slow task that gives up its slot to another task and continues. */
  readonly onDisplaced?: (task: Task) => void;
  /** Default: the monotonic clock of the process. */
  readonly nowMs?: () => number;
}

/**
 * Runs tasks in the order that `FairShareScheduler` decides: companies share the time of a few slots, the number of waiting tasks
 * is limited, and slow tasks give up their slots. When tasks take about the same time, `FairSemaphore` is enough.
 */
export class FairTaskRunner<Task> {
  private readonly scheduler: FairShareScheduler<Task>;
  private readonly nowMs: () => number;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: FairTaskRunnerOptions<Task>) {
    this.scheduler = new FairShareScheduler(options);
    this.nowMs = options.nowMs ?? (() => performance.now());
  }

  /**
   * @param maxDurationMs the task's time limit: among companies that have used about the same, the shorter task goes first
   * @returns false: too many tasks are waiting already
   */
  add(companyId: string, task: Task, maxDurationMs = 0): boolean {
    const isAdded = this.scheduler.add(companyId, task, maxDurationMs);
    if (isAdded) this.startNext();
    return isAdded;
  }

  /** Removes a waiting task; false when the task does not wait (any more). */
  remove(companyId: string, task: Task): boolean {
    return this.scheduler.remove(companyId, task);
  }

  /** Removes all waiting tasks and gives them. */
  clear(): Task[] {
    return this.scheduler.clear();
  }

  private startNext(): void {
    clearTimeout(this.timer);
    for (;;) {
      const started = this.scheduler.start(this.nowMs());
      if (!started) break;
      if (started.displaced !== null) this.options.onDisplaced?.(started.displaced);
      void this.options.run(started.task, started.companyId).finally(() => {
        this.scheduler.end(started, this.nowMs());
        this.startNext();
      });
    }
    const now = this.nowMs();
    const startAtMs = this.scheduler.nextStartAtMs(now);
    if (startAtMs !== null) {
      this.timer = setTimeout(() => this.startNext(), Math.max(1, Math.ceil(startAtMs - now))).unref();
    }
  }
}
