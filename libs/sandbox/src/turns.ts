/** Whose task is next: companies take turns, and none of them holds every place. Pure. */

interface Line<Task> {
  readonly waiting: Task[];
  working: number;
}

export class Turns<Task> {
  /** In the order in which they were served: whose turn is longest ago stands first. */
  private readonly lines = new Map<string, Line<Task>>();
  private waiting = 0;

  /** @param places tasks that can be worked on at once; a company holds all but one of them, at least one */
  constructor(
    private readonly places: number,
    private readonly limits: { readonly perCompany: number; readonly total: number },
  ) {}

  /** False: too many wait already. */
  add(company: string, task: Task): boolean {
    const line = this.lines.get(company) ?? { waiting: [], working: 0 };
    if (line.waiting.length >= this.limits.perCompany || this.waiting >= this.limits.total) return false;
    this.lines.set(company, line);
    line.waiting.push(task);
    this.waiting += 1;
    return true;
  }

  /** The next task, which counts as being worked on until `end`; undefined while nobody may go on. */
  take(): { readonly company: string; readonly task: Task } | undefined {
    const most = Math.max(1, this.places - 1);
    for (const [company, line] of this.lines) {
      if (line.working >= most) continue;
      const task = line.waiting.shift();
      if (task === undefined) continue;
      this.waiting -= 1;
      line.working += 1;
      // behind all others
      this.lines.delete(company);
      this.lines.set(company, line);
      return { company, task };
    }
    return undefined;
  }

  end(company: string): void {
    const line = this.lines.get(company);
    if (!line) return;
    line.working -= 1;
    this.forgetIfIdle(company, line);
  }

  /** Takes a task out that waits; false when it does not (any more). */
  remove(company: string, task: Task): boolean {
    const line = this.lines.get(company);
    const at = line?.waiting.indexOf(task) ?? -1;
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
    return left;
  }

  private forgetIfIdle(company: string, { waiting, working }: Line<Task>): void {
    if (waiting.length === 0 && working === 0) this.lines.delete(company);
  }
}
