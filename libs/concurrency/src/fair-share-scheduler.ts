/**
 * Decides which task starts next: that of the company that has used the least time so far. No company occupies every slot,
 * and a task that takes long gives up its slot to waiting ones, up to a limit. It only decides: its caller passes the time, and
 * starts and ends the tasks.
 */

export interface FairShareOptions {
  /** How many tasks run at once. */
  readonly concurrency: number;
  /** This many tasks continue outside of `concurrency` once they have run for `afterMs`; default: none. */
  readonly slow?: { readonly concurrency: number; readonly afterMs: number };
  /** How many tasks of one company run at once; default: `concurrency` less one, at least one. */
  readonly maxRunningPerCompany?: number;
  /** How many tasks may wait. Past `total` a company is refused only when its even share of `total` is waiting already. */
  readonly maxWaiting: { readonly perCompany: number; readonly total: number };
}

/** A task that was started; it counts as running until `end`. */
export interface ScheduledTask<Task> {
  readonly companyId: string;
  readonly task: Task;
  /** The slow task that continues outside of `concurrency` and whose slot this task has got. */
  readonly displaced: Task | null;
}

interface RunningTask<Task> extends ScheduledTask<Task> {
  readonly startedAtMs: number;
  isSlow: boolean;
}

interface WaitingTask<Task> {
  readonly task: Task;
  readonly maxDurationMs: number;
}

interface CompanyQueue<Task> {
  readonly waiting: WaitingTask<Task>[];
  readonly running: Set<RunningTask<Task>>;
  /** Time that its ended tasks have used. A new company starts with what the others have reached: it gets no credit for idling. */
  usedMs: number;
  /** Number of its last start; 0: none since this queue was made. */
  lastStartNumber: number;
}

/** Idle companies that have used more time than others are remembered; past this many the oldest is forgotten. */
const MAX_REMEMBERED_COMPANIES = 10_000;

/** A task whose time limit is far above its need does not wait much longer for that. */
const MAX_DECLARED_MS = 5_000;

interface Candidate<Task> {
  readonly companyId: string;
  readonly queue: CompanyQueue<Task>;
  readonly usedMs: number;
}

export class FairShareScheduler<Task> {
  private readonly queues = new Map<string, CompanyQueue<Task>>();
  /** Time used by companies that have no queue now. */
  private readonly usedByIdleMs = new Map<string, number>();
  private startCount = 0;
  private waitingCount = 0;
  private runningCount = 0;
  private slowCount = 0;
  /** What the company of the last start had used: no company starts with less. */
  private baselineMs = 0;
  private readonly maxRunningPerCompany: number;

  constructor(private readonly options: FairShareOptions) {
    this.maxRunningPerCompany = options.maxRunningPerCompany ?? Math.max(1, options.concurrency - 1);
  }

  /**
   * @param maxDurationMs the task's time limit: among companies that have used about the same, the shorter task goes first
   * @returns false: too many tasks are waiting already
   */
  add(companyId: string, task: Task, maxDurationMs = 0): boolean {
    const queue = this.queues.get(companyId) ?? this.newQueue(companyId);
    this.queues.set(companyId, queue);
    if (this.isOverLimit(queue)) return false;
    queue.waiting.push({ task, maxDurationMs });
    this.waitingCount += 1;
    return true;
  }

  /** The next task, which counts as running until `end`; undefined while none may start. */
  start(nowMs: number): ScheduledTask<Task> | undefined {
    const next = this.nextCandidate(nowMs);
    if (!next) return undefined;
    const isFull = this.runningCount - this.slowCount >= this.options.concurrency;
    const displaced = isFull ? this.displaceable(nowMs) : null;
    if (isFull && !displaced) return undefined;
    if (displaced) {
      displaced.isSlow = true;
      this.slowCount += 1;
    }
    const { companyId, queue, usedMs } = next;
    const { task } = queue.waiting.shift() as WaitingTask<Task>;
    this.startCount += 1;
    const started: RunningTask<Task> = {
      companyId,
      task,
      displaced: displaced?.task ?? null,
      startedAtMs: nowMs,
      isSlow: false,
    };
    this.waitingCount -= 1;
    this.runningCount += 1;
    this.baselineMs = Math.max(this.baselineMs, usedMs);
    queue.running.add(started);
    queue.lastStartNumber = this.startCount;
    return started;
  }

  /** When `start` may give a task that it does not give now, even if no task ends until then; null: never. */
  nextStartAtMs(nowMs: number): number | null {
    const { slow } = this.options;
    if (!slow || this.slowCount >= slow.concurrency || !this.nextCandidate(nowMs)) return null;
    const longest = this.longestRunning();
    return longest ? longest.startedAtMs + slow.afterMs : null;
  }

  end(scheduled: ScheduledTask<Task>, nowMs: number): void {
    const ended = scheduled as RunningTask<Task>;
    const queue = this.queues.get(ended.companyId);
    if (!queue?.running.delete(ended)) return;
    queue.usedMs += Math.max(0, nowMs - ended.startedAtMs);
    this.runningCount -= 1;
    if (ended.isSlow) this.slowCount -= 1;
    this.forgetIfIdle(ended.companyId, queue);
  }

  /** Removes a waiting task; false when the task does not wait (any more). */
  remove(companyId: string, task: Task): boolean {
    const queue = this.queues.get(companyId);
    const at = queue?.waiting.findIndex((each) => each.task === task) ?? -1;
    if (!queue || at === -1) return false;
    queue.waiting.splice(at, 1);
    this.waitingCount -= 1;
    this.forgetIfIdle(companyId, queue);
    return true;
  }

  /** Removes all waiting tasks and gives them. */
  clear(): Task[] {
    const removed = [...this.queues.values()].flatMap(({ waiting }) => waiting.splice(0));
    this.waitingCount = 0;
    return removed.map(({ task }) => task);
  }

  /**
   * A company that has little waiting is not refused because of what other companies have waiting. Past `total` a company may have
   * at most an even share of it, which shrinks with the number of companies. A company that has nothing waiting is never refused.
   */
  private isOverLimit({ waiting: { length } }: CompanyQueue<Task>): boolean {
    const { perCompany, total } = this.options.maxWaiting;
    return length >= perCompany || (this.waitingCount >= total && length >= total / this.queues.size);
  }

  private newQueue(companyId: string): CompanyQueue<Task> {
    const usedMs = Math.max(this.baselineMs, this.usedByIdleMs.get(companyId) ?? 0);
    return { waiting: [], running: new Set(), usedMs, lastStartNumber: 0 };
  }

  private nextCandidate(nowMs: number): Candidate<Task> | undefined {
    let best: Candidate<Task> | undefined;
    for (const [companyId, queue] of this.queues) {
      if (queue.waiting.length === 0 || queue.running.size >= this.maxRunningPerCompany) continue;
      const candidate = { companyId, queue, usedMs: usedByMs(queue, nowMs) };
      if (!best || precedes(candidate, best)) best = candidate;
    }
    return best;
  }

  /** The task that has run long enough to give up its slot, if another slow task is allowed. */
  private displaceable(nowMs: number): RunningTask<Task> | null {
    const { slow } = this.options;
    if (!slow || this.slowCount >= slow.concurrency) return null;
    const longest = this.longestRunning();
    return longest && nowMs - longest.startedAtMs >= slow.afterMs ? longest : null;
  }

  /** Of the tasks that occupy a slot. */
  private longestRunning(): RunningTask<Task> | undefined {
    let longest: RunningTask<Task> | undefined;
    for (const { running } of this.queues.values()) {
      for (const one of running) {
        if (!one.isSlow && (!longest || one.startedAtMs < longest.startedAtMs)) longest = one;
      }
    }
    return longest;
  }

  private forgetIfIdle(companyId: string, { waiting, running, usedMs }: CompanyQueue<Task>): void {
    if (waiting.length > 0 || running.size > 0) return;
    this.queues.delete(companyId);
    this.usedByIdleMs.delete(companyId);
    if (this.queues.size === 0) {
      // no company waits, so nobody needs to be protected from earlier use
      this.usedByIdleMs.clear();
      this.baselineMs = 0;
    } else if (usedMs > this.baselineMs) {
      this.usedByIdleMs.set(companyId, usedMs);
      if (this.usedByIdleMs.size > MAX_REMEMBERED_COMPANIES) {
        this.usedByIdleMs.delete(this.usedByIdleMs.keys().next().value as string);
      }
    }
  }
}

function precedes<Task>(one: Candidate<Task>, other: Candidate<Task>): boolean {
  const [a, b] = [usedAfterNextMs(one), usedAfterNextMs(other)];
  return a === b ? one.queue.lastStartNumber < other.queue.lastStartNumber : a < b;
}

/** What the company will have used when its next task has used its whole time limit. */
function usedAfterNextMs<Task>({ usedMs, queue }: Candidate<Task>): number {
  return usedMs + Math.min(queue.waiting[0]?.maxDurationMs ?? 0, MAX_DECLARED_MS);
}

/** Running tasks count before they have ended. */
function usedByMs<Task>({ usedMs, running }: CompanyQueue<Task>, nowMs: number): number {
  let used = usedMs;
  for (const { startedAtMs } of running) used += nowMs - startedAtMs;
  return used;
}
