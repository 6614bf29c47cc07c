import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cell } from './cell.js';
import { CompanyProcesses } from './company-processes.js';
import { KEPT, MAX_ANSWER_CHARS, MAX_WAITING, SLOW_CODE, START_PAUSES_MS } from './limits.js';
import { Places } from './places.js';
import { SandboxFailure } from './sandbox-failure.js';
import { programOf, type Program, type SandboxTask, type UnwrittenTask } from './task.js';

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
  readonly task: SandboxTask | UnwrittenTask;
  readonly resolve: (json: string) => void;
  readonly reject: (error: unknown) => void;
  /** Of the process that works on it. */
  cell?: Cell;
}

export interface SandboxOptions {
  /** Processes at work at once for `code`, and as many for all else; at least 2. Default: one a core, at most 4. */
  readonly places?: number;
  /** Processes without a task that are kept for the companies that they worked for. */
  readonly kept?: number;
  readonly start?: (program: Program) => Cell;
}

const DEFAULT_PLACES = Math.min(4, Math.max(2, availableParallelism()));

/**
 * Runs what users wrote (JSONata, JavaScript, patterns) in processes of its own, which reach nothing. They are started when
 * there is something to do, and ended when there is not, and none of them ever works for two companies. Who has had the least
 * time is next, and one place is always free of the company that holds the others. `code`, which may take half a minute, has
 * places of its own, and goes on beside them when others wait.
 */
export class Sandbox {
  private readonly short: Places<Waiting>;
  private readonly code: Places<Waiting>;
  private readonly processes: CompanyProcesses;
  private readonly closing = new AbortController();

  constructor({ places = DEFAULT_PLACES, kept = KEPT, start = (program) => new Cell(program) }: SandboxOptions = {}) {
    const work = (waiting: Waiting): Promise<void> => this.work(waiting);
    this.short = new Places({ places, limits: MAX_WAITING, work });
    const onSlow = ({ cell }: Waiting): void => cell?.stepBack();
    this.code = new Places({ places, limits: MAX_WAITING, slow: SLOW_CODE, work, onSlow });
    this.processes = new CompanyProcesses(start, kept);
  }

  /**
   * The answer as JSON text.
   *
   * @throws SandboxFailure, and what an unwritten task throws as it is written
   */
  run(task: SandboxTask | UnwrittenTask, call: SandboxCall): Promise<string> {
    const { companyId, signal } = call;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const cancelled = (): void => reject(new SandboxFailure('cancelled', 'The computation was cancelled.'));
    if (this.closing.signal.aborted || signal.aborted) cancelled();
    else {
      const waiting: Waiting = { task, ...call, resolve, reject };
      const places = task.kind === 'code' ? this.code : this.short;
      if (!places.add(companyId, waiting, call.timeoutMs)) {
        reject(new SandboxFailure('sandbox_limit', 'Too many computations wait for their turn.'));
      } else {
        const leave = (): void => {
          if (places.remove(companyId, waiting)) cancelled();
        };
        signal.addEventListener('abort', leave, { once: true });
        const forget = (): void => signal.removeEventListener('abort', leave);
        promise.then(forget, forget);
      }
    }
    return promise;
  }

  /** Ends every process; what waits or runs fails with `cancelled`. */
  async close(): Promise<void> {
    this.closing.abort();
    const end = new SandboxFailure('cancelled', 'The process is shutting down.');
    for (const { reject } of [...this.short.clear(), ...this.code.clear()]) reject(end);
    await this.processes.close(end);
  }

  private async work(waiting: Waiting): Promise<void> {
    const { companyId, task, timeoutMs, maxChars = MAX_ANSWER_CHARS, signal, resolve, reject } = waiting;
    let cell: Cell | undefined;
    try {
      cell = await this.cell(companyId, programOf(task), signal);
      waiting.cell = cell;
      const written = 'write' in task ? task.write() : task;
      const order = { task: written, timeoutMs, maxChars: Math.min(maxChars, MAX_ANSWER_CHARS) };
      resolve(await cell.run(companyId, order, signal));
    } catch (error) {
      reject(error);
    }
    // one that was killed still holds its place until it is gone
    if (cell?.over) await cell.gone;
    else if (cell) this.processes.rest(companyId, cell);
    this.processes.prepare(programOf(task));
  }

  /** @throws SandboxFailure */
  private async cell(companyId: string, program: Program, signal: AbortSignal): Promise<Cell> {
    const ends = AbortSignal.any([signal, this.closing.signal]);
    for (let attempt = 0; ; attempt += 1) {
      if (ends.aborted) throw new SandboxFailure('cancelled', 'The computation was cancelled.');
      const cell = this.processes.take(companyId, program);
      if (cell) return cell;
      const pauseMs = START_PAUSES_MS[attempt];
      if (pauseMs === undefined) {
        throw new SandboxFailure('sandbox_limit', 'This machine has no room for another process of the sandbox.');
      }
      await sleep(pauseMs, undefined, { signal: ends }).catch(() => undefined);
    }
  }
}
