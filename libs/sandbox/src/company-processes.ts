import type { Cell } from './cell.js';
import { IDLE_MS } from './limits.js';
import { SandboxFailure } from './sandbox-failure.js';
import type { Program } from './task.js';

interface Resting {
  readonly cell: Cell;
  /** Null: it has worked for nobody yet. */
  readonly companyId: string | null;
  readonly timer: NodeJS.Timeout;
}

/**
 * Which process works for whom. One that has worked for a company rests until that company has another task; it is ended when
 * others have rested for less long and there are too many, or after a minute. One that is new is kept ready for whoever
 * comes first, of each program that was asked for within the last minute.
 */
export class CompanyProcesses {
  private readonly all = new Set<Cell>();
  /** The one that has rested longest stands first. */
  private resting: readonly Resting[] = [];
  private closed = false;

  /**
   * @param start makes a process; its `pid` is undefined, or it throws, when there is no room for one
   * @param kept how many may rest for companies
   */
  constructor(
    private readonly start: (program: Program) => Cell,
    private readonly kept: number,
  ) {}

  /** A process that has worked for nobody but this company. Null when the machine has no room for it. */
  take(companyId: string, program: Program): Cell | null {
    return this.rested(companyId, program) ?? this.rested(null, program) ?? this.newCell(program);
  }

  /** Its task is done. */
  rest(companyId: string, cell: Cell): void {
    this.add(companyId, cell);
    const owned = this.resting.filter((each) => each.companyId !== null);
    for (const { cell: oldest } of owned.slice(0, Math.max(0, owned.length - this.kept))) this.end(oldest);
  }

  /** Starts a new one in advance, unless there is one. */
  prepare(program: Program): void {
    if (this.closed) return;
    const ready = this.resting.find(({ companyId, cell }) => companyId === null && cell.program === program);
    const cell = ready?.cell ?? this.newCell(program);
    if (cell) this.add(null, cell);
  }

  async close(end: SandboxFailure): Promise<void> {
    this.closed = true;
    for (const { timer } of this.resting) clearTimeout(timer);
    for (const cell of this.all) cell.kill(end);
    await Promise.all([...this.all].map((cell) => cell.gone));
  }

  private rested(companyId: string | null, program: Program): Cell | null {
    const found = this.resting.findLast((each) => each.companyId === companyId && each.cell.program === program);
    if (!found) return null;
    this.remove(found.cell);
    return found.cell;
  }

  private newCell(program: Program): Cell | null {
    let cell: Cell;
    try {
      cell = this.start(program);
    } catch {
      return null;
    }
    if (cell.pid === undefined) return null;
    this.all.add(cell);
    void cell.gone.then(() => {
      this.all.delete(cell);
      this.remove(cell);
    });
    return cell;
  }

  private add(companyId: string | null, cell: Cell): void {
    this.remove(cell);
    if (this.closed || cell.over) return;
    const timer = setTimeout(() => this.end(cell), IDLE_MS).unref();
    this.resting = [...this.resting, { cell, companyId, timer }];
  }

  private remove(cell: Cell): void {
    clearTimeout(this.resting.find((each) => each.cell === cell)?.timer);
    this.resting = this.resting.filter((each) => each.cell !== cell);
  }

  private end(cell: Cell): void {
    this.remove(cell);
    cell.kill(new SandboxFailure('cancelled', 'It has nothing to do.'));
  }
}
