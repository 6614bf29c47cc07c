import { Turns, type TurnsOptions } from './turns.js';

export interface PlacesOptions<Task> extends TurnsOptions {
  /** Works on a task; its place is free again when this ends. Never fails. */
  readonly work: (task: Task, company: string) => Promise<void>;
  /** Told of a task that has lasted, and gives its place to another one while it goes on. */
  readonly onSlow?: (task: Task) => void;
  /** Default: the clock of the process, which never goes back. */
  readonly nowMs?: () => number;
}

/** Has tasks worked on in the order that `Turns` decides. */
export class Places<Task> {
  private readonly turns: Turns<Task>;
  private readonly nowMs: () => number;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: PlacesOptions<Task>) {
    this.turns = new Turns(options);
    this.nowMs = options.nowMs ?? (() => performance.now());
  }

  /**
   * @param atMostMs how long it may take: of companies that have had about the same, whose task is shorter goes first
   * @returns false: too many wait already
   */
  add(company: string, task: Task, atMostMs = 0): boolean {
    const isTaken = this.turns.add(company, task, atMostMs);
    if (isTaken) this.goOn();
    return isTaken;
  }

  /** Takes a task out that waits; false when it does not (any more). */
  remove(company: string, task: Task): boolean {
    return this.turns.remove(company, task);
  }

  /** All that wait, which then wait no more. */
  clear(): Task[] {
    return this.turns.clear();
  }

  private goOn(): void {
    clearTimeout(this.timer);
    for (;;) {
      const turn = this.turns.take(this.nowMs());
      if (!turn) break;
      if (turn.inPlaceOf !== null) this.options.onSlow?.(turn.inPlaceOf);
      void this.options.work(turn.task, turn.company).finally(() => {
        this.turns.end(turn, this.nowMs());
        this.goOn();
      });
    }
    const now = this.nowMs();
    const roomAtMs = this.turns.roomAtMs(now);
    if (roomAtMs !== null) this.timer = setTimeout(() => this.goOn(), Math.max(1, Math.ceil(roomAtMs - now))).unref();
  }
}
