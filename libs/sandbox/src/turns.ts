/**
 * Whose task is next: that of the company which has had the least time; none of them holds every place, and a task that takes
 * long makes room for others, as far as there is any. Decides only: it is told the time, and starts and ends nothing.
 */

export interface TurnsOptions {
  /** Tasks that are worked on at once; a company has all but one of them, at least one. */
  readonly places: number;
  /** Where tasks go on that have lasted for `afterMs`, so that their places are free again; default: nowhere. */
  readonly slow?: { readonly places: number; readonly afterMs: number };
  /** Of one company at work at once; default: all places but one, at least one. */
  readonly mostOfCompany?: number;
  /** Tasks that may wait. Past `total` a company is refused only when it has its even share of that waiting already. */
  readonly limits: { readonly perCompany: number; readonly total: number };
}

/** A task whose turn it is, until `end`. */
export interface Turn<Task> {
  readonly company: string;
  readonly task: Task;
  /** The task that goes on elsewhere, because it has lasted, and whose place this one has got. */
  readonly inPlaceOf: Task | null;
}

interface Work<Task> extends Turn<Task> {
  readonly sinceMs: number;
  isSlow: boolean;
}

interface Waiting<Task> {
  readonly task: Task;
  readonly atMostMs: number;
}

interface Line<Task> {
  readonly waiting: Waiting<Task>[];
  readonly working: Set<Work<Task>>;
  /** Time that its tasks have had. Who comes begins with what the others have reached: not having asked is no merit. */
  spentMs: number;
  /** Number of its last turn; 0: it had none since it came. */
  lastTurn: number;
}

/** Companies that have nothing to do now, but had more time than others: whose debt is the oldest is let off. */
const MAX_DEBTORS = 10_000;

/** Who allows a task far more than it needs does not wait much longer for it. */
const MOST_ANNOUNCED_MS = 5_000;

interface Candidate<Task> {
  readonly company: string;
  readonly line: Line<Task>;
  readonly spentMs: number;
}

export class Turns<Task> {
  private readonly lines = new Map<string, Line<Task>>();
  /** What companies had spent that have no line now. */
  private readonly debts = new Map<string, number>();
  private turns = 0;
  private waiting = 0;
  private atWork = 0;
  private slow = 0;
  /** What the company had spent whose turn came last: nobody begins with less. */
  private reachedMs = 0;
  private readonly most: number;

  constructor(private readonly options: TurnsOptions) {
    this.most = options.mostOfCompany ?? Math.max(1, options.places - 1);
  }

  /**
   * @param atMostMs how long it may take: of companies that have had about the same, whose task is shorter goes first
   * @returns false: too many wait already
   */
  add(company: string, task: Task, atMostMs = 0): boolean {
    const line = this.lines.get(company) ?? this.newLine(company);
    this.lines.set(company, line);
    if (this.isTooMuch(line)) return false;
    line.waiting.push({ task, atMostMs });
    this.waiting += 1;
    return true;
  }

  /** The next task, which counts as being worked on until `end`; undefined while nobody may go on. */
  take(nowMs: number): Turn<Task> | undefined {
    const next = this.next(nowMs);
    if (!next) return undefined;
    const isFull = this.atWork - this.slow >= this.options.places;
    const eldest = isFull ? this.slowest(nowMs) : null;
    if (isFull && !eldest) return undefined;
    if (eldest) {
      eldest.isSlow = true;
      this.slow += 1;
    }
    const { company, line, spentMs } = next;
    const { task } = line.waiting.shift() as Waiting<Task>;
    this.turns += 1;
    const work: Work<Task> = { company, task, inPlaceOf: eldest?.task ?? null, sinceMs: nowMs, isSlow: false };
    this.waiting -= 1;
    this.atWork += 1;
    this.reachedMs = Math.max(this.reachedMs, spentMs);
    line.working.add(work);
    line.lastTurn = this.turns;
    return work;
  }

  /** When `take` may give something that it does not give now, though nothing ends until then; null: never. */
  roomAtMs(nowMs: number): number | null {
    const { slow } = this.options;
    if (!slow || this.slow >= slow.places || !this.next(nowMs)) return null;
    const eldest = this.eldest();
    return eldest ? eldest.sinceMs + slow.afterMs : null;
  }

  end(turn: Turn<Task>, nowMs: number): void {
    const work = turn as Work<Task>;
    const line = this.lines.get(work.company);
    if (!line?.working.delete(work)) return;
    line.spentMs += Math.max(0, nowMs - work.sinceMs);
    this.atWork -= 1;
    if (work.isSlow) this.slow -= 1;
    this.forgetIfIdle(work.company, line);
  }

  /** Takes a task out that waits; false when it does not (any more). */
  remove(company: string, task: Task): boolean {
    const line = this.lines.get(company);
    const at = line?.waiting.findIndex((each) => each.task === task) ?? -1;
    if (!line || at === -1) return false;
    line.waiting.splice(at, 1);
    this.waiting -= 1;
    this.forgetIfIdle(company, line);
    return true;
  }

  /** All that wait, which then wait no more. */
  clear(): Task[] {
    const left = [...this.lines.values()].flatMap(({ waiting }) => waiting.splice(0));
    this.waiting = 0;
    return left.map(({ task }) => task);
  }

  /**
   * What others have waiting is no reason to refuse who has little. Who comes past `total` adds no more than an even share of
   * it, which is the smaller the more companies there are. Nobody is refused who has nothing waiting.
   */
  private isTooMuch({ waiting: { length } }: Line<Task>): boolean {
    const { perCompany, total } = this.options.limits;
    return length >= perCompany || (this.waiting >= total && length >= total / this.lines.size);
  }

  private newLine(company: string): Line<Task> {
    const spentMs = Math.max(this.reachedMs, this.debts.get(company) ?? 0);
    return { waiting: [], working: new Set(), spentMs, lastTurn: 0 };
  }

  private next(nowMs: number): Candidate<Task> | undefined {
    let best: Candidate<Task> | undefined;
    for (const [company, line] of this.lines) {
      if (line.waiting.length === 0 || line.working.size >= this.most) continue;
      const candidate = { company, line, spentMs: spentBy(line, nowMs) };
      if (!best || goesBefore(candidate, best)) best = candidate;
    }
    return best;
  }

  /** Whose task has lasted long enough to go on elsewhere, where there is room for it. */
  private slowest(nowMs: number): Work<Task> | null {
    const { slow } = this.options;
    if (!slow || this.slow >= slow.places) return null;
    const eldest = this.eldest();
    return eldest && nowMs - eldest.sinceMs >= slow.afterMs ? eldest : null;
  }

  /** Of those that hold a place. */
  private eldest(): Work<Task> | undefined {
    let eldest: Work<Task> | undefined;
    for (const { working } of this.lines.values()) {
      for (const work of working) {
        if (!work.isSlow && (!eldest || work.sinceMs < eldest.sinceMs)) eldest = work;
      }
    }
    return eldest;
  }

  private forgetIfIdle(company: string, { waiting, working, spentMs }: Line<Task>): void {
    if (waiting.length > 0 || working.size > 0) return;
    this.lines.delete(company);
    this.debts.delete(company);
    if (this.lines.size === 0) {
      // Nobody is kept waiting by what was had before.
      this.debts.clear();
      this.reachedMs = 0;
    } else if (spentMs > this.reachedMs) {
      this.debts.set(company, spentMs);
      if (this.debts.size > MAX_DEBTORS) this.debts.delete(this.debts.keys().next().value as string);
    }
  }
}

function goesBefore<Task>(one: Candidate<Task>, other: Candidate<Task>): boolean {
  const [a, b] = [dueOf(one), dueOf(other)];
  return a === b ? one.line.lastTurn < other.line.lastTurn : a < b;
}

/** What its company will have had when its next task has taken as long as it may. */
function dueOf<Task>({ spentMs, line }: Candidate<Task>): number {
  return spentMs + Math.min(line.waiting[0]?.atMostMs ?? 0, MOST_ANNOUNCED_MS);
}

/** What is at work counts before it has ended. */
function spentBy<Task>({ spentMs, working }: Line<Task>, nowMs: number): number {
  let spent = spentMs;
  for (const { sinceMs } of working) spent += nowMs - sinceMs;
  return spent;
}
