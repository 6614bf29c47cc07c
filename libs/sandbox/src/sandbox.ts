import { FairTaskRunner } from '@weft/concurrency';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { SandboxProcess } from './sandbox-process.js';
import { CompanyProcesses } from './company-processes.js';
import { DEFAULT_MAX_IDLE, MAX_ANSWER_CHARS, MAX_WAITING, SLOW_CODE, START_RETRY_DELAYS_MS } from './limits.js';
import { SandboxFailure } from './sandbox-failure.js';
import { programOf, type LazyTask, type Program, type SandboxTask } from './task.js';

/** For which company a task runs, and its limits. */
export interface SandboxCall {
  readonly companyId: string;
  readonly timeoutMs: number;
  /** When it is aborted, the task is not started, or is ended at once. */
  readonly signal: AbortSignal;
  /** Characters of the answer; never more than MAX_ANSWER_CHARS of the program. */
  readonly maxChars?: number;
}

interface PendingTask extends SandboxCall {
  readonly task: SandboxTask | LazyTask;
  readonly resolve: (json: string) => void;
  readonly reject: (error: unknown) => void;
  /** The process that runs the task. */
  process?: SandboxProcess;
}

export interface SandboxOptions {
  /** How many processes run `code` at once, and as many run all other tasks; at least 2. Default: one a core, at most 4. */
  readonly concurrency?: number;
  /** How many idle processes are kept for the companies whose tasks they have run. */
  readonly maxIdle?: number;
  readonly start?: (program: Program) => SandboxProcess;
}

const DEFAULT_CONCURRENCY = Math.min(4, Math.max(2, availableParallelism()));

/**
 * Runs what users wrote (JSONata, JavaScript, patterns) in processes of its own, which have access to nothing else. Processes
 * are started when there are tasks, ended when no task is left, and never run tasks of two companies. The company that has used
 * the least time goes first, and one company never occupies all slots. `code`, which may take half a minute, has slots of its
 * own, and gives up its slot while other tasks wait.
 */
export class Sandbox {
  private readonly shortTasks: FairTaskRunner<PendingTask>;
  private readonly codeTasks: FairTaskRunner<PendingTask>;
  private readonly processes: CompanyProcesses;
  private readonly closing = new AbortController();

  constructor({
    concurrency = DEFAULT_CONCURRENCY,
    maxIdle = DEFAULT_MAX_IDLE,
    start = (program) => new SandboxProcess(program),
  }: SandboxOptions = {}) {
    const options = { concurrency, maxWaiting: MAX_WAITING, run: (pending: PendingTask) => this.runTask(pending) };
    this.shortTasks = new FairTaskRunner(options);
    this.codeTasks = new FairTaskRunner({
      ...options,
      slow: SLOW_CODE,
      onDisplaced: (pending) => pending.process?.lowerPriority(),
    });
    this.processes = new CompanyProcesses(start, maxIdle);
  }

  /**
   * The answer as text: JSON, or of an OpenAPI document what `openapiAnswer` reads.
   *
   * @throws SandboxFailure, and what `write` of a lazy task throws
   */
  run(task: SandboxTask | LazyTask, call: SandboxCall): Promise<string> {
    const { companyId, signal } = call;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const cancelled = (): void => reject(new SandboxFailure('cancelled', 'The computation was cancelled.'));
    if (this.closing.signal.aborted || signal.aborted) cancelled();
    else {
      const pending: PendingTask = { task, ...call, resolve, reject };
      const runner = task.kind === 'code' ? this.codeTasks : this.shortTasks;
      if (!runner.add(companyId, pending, call.timeoutMs)) {
        reject(new SandboxFailure('sandbox_limit', 'Too many computations wait for their turn.'));
      } else {
        const onAbort = (): void => {
          if (runner.remove(companyId, pending)) cancelled();
        };
        signal.addEventListener('abort', onAbort, { once: true });
        const stopListening = (): void => signal.removeEventListener('abort', onAbort);
        promise.then(stopListening, stopListening);
      }
    }
    return promise;
  }

  /** Ends every process; waiting and running tasks fail with `cancelled`. */
  async close(): Promise<void> {
    this.closing.abort();
    const reason = new SandboxFailure('cancelled', 'The process is shutting down.');
    for (const { reject } of [...this.shortTasks.clear(), ...this.codeTasks.clear()]) reject(reason);
    await this.processes.close(reason);
  }

  private async runTask(pending: PendingTask): Promise<void> {
    const { companyId, task, timeoutMs, signal, resolve, reject } = pending;
    const program = programOf(task);
    const most = MAX_ANSWER_CHARS[program];
    let acquired: SandboxProcess | undefined;
    try {
      // before there is a process: it could end meanwhile, and would never answer
      const written = 'write' in task ? await task.write() : task;
      acquired = await this.acquireProcess(companyId, program, signal);
      pending.process = acquired;
      const request = { task: written, timeoutMs, maxChars: Math.min(pending.maxChars ?? most, most) };
      resolve(await acquired.run(companyId, request, signal));
    } catch (error) {
      reject(error);
    }
    // a killed process still occupies its slot until it has ended
    if (acquired?.isEnding) await acquired.ended;
    else if (acquired) this.processes.release(companyId, acquired);
    this.processes.prepare(program);
  }

  /** @throws SandboxFailure */
  private async acquireProcess(companyId: string, program: Program, signal: AbortSignal): Promise<SandboxProcess> {
    const cancellation = AbortSignal.any([signal, this.closing.signal]);
    for (let attempt = 0; ; attempt += 1) {
      if (cancellation.aborted) throw new SandboxFailure('cancelled', 'The computation was cancelled.');
      const acquired = this.processes.acquire(companyId, program);
      if (acquired) return acquired;
      const delayMs = START_RETRY_DELAYS_MS[attempt];
      if (delayMs === undefined) {
        throw new SandboxFailure('sandbox_limit', 'This machine has no room for another process of the sandbox.');
      }
      await sleep(delayMs, undefined, { signal: cancellation }).catch(() => undefined);
    }
  }
}
