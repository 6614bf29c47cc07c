import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cell } from './cell.js';
import { IDLE_MS, MAX_ANSWER_CHARS, MAX_WAITING, START_PAUSES_MS } from './limits.js';
import { SandboxFailure } from './sandbox-failure.js';
import type { SandboxTask } from './task.js';
import { Turns } from './turns.js';

/** For whom a task is, and how far it may go. */
export interface SandboxCall {
  readonly companyId: string;
  readonly timeoutMs: number;
  /** Aborted: the task is not begun, or ended at once. */
  readonly signal: AbortSignal;
  /** Characters of the answer as JSON; never more than MAX_ANSWER_CHARS. */
  readonly maxChars?: number;
}

interface Waiting extends SandboxCall {
  readonly task: SandboxTask;
  readonly resolve: (json: string) => void;
  readonly reject: (error: unknown) => void;
}

const DEFAULT_PLACES = Math.min(4, Math.max(2, availableParallelism()));

/**
 * Runs what users wrote (JSONata, JavaScript, patterns) in processes of its own, which reach nothing. They are started when
 * there is something to do, and ended when there is not; companies take turns, and one place is always free of the one that
 * holds the others.
 */
export class Sandbox {
  private readonly turns: Turns<Waiting>;
  private readonly cells = new Set<Cell>();
  private readonly idle: { readonly cell: Cell; readonly timer: NodeJS.Timeout }[] = [];
  /** Tasks that were taken, until their process rests or is gone. */
  private working = 0;
  private readonly closing = new AbortController();

  /**
   * @param places processes at work at once, at least 2
   * @param start makes a process; its `pid` is undefined, or it throws, when there is no room for one
   */
  constructor(
    private readonly places = DEFAULT_PLACES,
    private readonly start: () => Cell = () => new Cell(),
  ) {
    this.turns = new Turns(places, MAX_WAITING);
  }

  /**
   * The answer as JSON text.
   *
   * @throws SandboxFailure
   */
  run(task: SandboxTask, call: SandboxCall): Promise<string> {
    const { companyId, signal } = call;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const cancelled = (): void => reject(new SandboxFailure('cancelled', 'The computation was cancelled.'));
    if (this.closing.signal.aborted || signal.aborted) cancelled();
    else {
      const waiting: Waiting = { task, ...call, resolve, reject };
      if (!this.turns.add(companyId, waiting)) {
        reject(new SandboxFailure('sandbox_limit', 'Too many computations wait for their turn.'));
      } else {
        const leave = (): void => {
          if (this.turns.remove(companyId, waiting)) cancelled();
        };
        signal.addEventListener('abort', leave, { once: true });
        const forget = (): void => signal.removeEventListener('abort', leave);
        promise.then(forget, forget);
        this.goOn();
      }
    }
    return promise;
  }

  /** Ends every process; what waits or runs fails with `cancelled`. */
  async close(): Promise<void> {
    this.closing.abort();
    const end = new SandboxFailure('cancelled', 'The process is shutting down.');
    for (const { reject } of this.turns.clear()) reject(end);
    for (const { timer } of this.idle.splice(0)) clearTimeout(timer);
    for (const cell of this.cells) cell.kill(end);
    await Promise.all([...this.cells].map((cell) => cell.gone));
  }

  private goOn(): void {
    while (this.working < this.places) {
      const next = this.turns.take();
      if (!next) return;
      this.working += 1;
      void this.work(next.task).finally(() => {
        this.working -= 1;
        this.turns.end(next.company);
        this.goOn();
      });
    }
  }

  private async work({ task, timeoutMs, maxChars = MAX_ANSWER_CHARS, signal, resolve, reject }: Waiting) {
    let cell: Cell | undefined;
    try {
      cell = await this.cell(signal);
      const order = { task, timeoutMs, maxChars: Math.min(maxChars, MAX_ANSWER_CHARS) };
      resolve(await cell.run(order, signal));
    } catch (error) {
      reject(error);
    }
    // one that was killed still holds its place until it is gone
    if (cell?.over) await cell.gone;
    else if (cell) this.rest(cell);
  }

  /** @throws SandboxFailure */
  private async cell(signal: AbortSignal): Promise<Cell> {
    const ends = AbortSignal.any([signal, this.closing.signal]);
    for (let attempt = 0; ; attempt += 1) {
      if (ends.aborted) throw new SandboxFailure('cancelled', 'The computation was cancelled.');
      const cell = this.restedCell() ?? this.newCell();
      if (cell) return cell;
      const pauseMs = START_PAUSES_MS[attempt];
      if (pauseMs === undefined) {
        throw new SandboxFailure('sandbox_limit', 'This machine has no room for another process of the sandbox.');
      }
      await sleep(pauseMs, undefined, { signal: ends }).catch(() => undefined);
    }
  }

  private restedCell(): Cell | null {
    const rested = this.idle.pop();
    clearTimeout(rested?.timer);
    return rested?.cell ?? null;
  }

  /** Null when the machine has no room for it. */
  private newCell(): Cell | null {
    let cell: Cell;
    try {
      cell = this.start();
    } catch {
      return null;
    }
    if (cell.pid === undefined) return null;
    this.cells.add(cell);
    void cell.gone.then(() => {
      this.cells.delete(cell);
      const at = this.idle.findIndex((each) => each.cell === cell);
      if (at !== -1) clearTimeout(this.idle.splice(at, 1)[0]?.timer);
    });
    return cell;
  }

  private rest(cell: Cell): void {
    if (this.closing.signal.aborted) return;
    const timer = setTimeout(() => {
      this.idle.splice(
        this.idle.findIndex((each) => each.cell === cell),
        1,
      );
      cell.kill(new SandboxFailure('cancelled', 'It has nothing to do.'));
    }, IDLE_MS).unref();
    this.idle.push({ cell, timer });
  }
}
