import { fork, type ChildProcess } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { cellOptions, CELL_FILE } from './cell-process.js';
import { GRACE_MS, HEAP_MB } from './limits.js';
import { SandboxFailure } from './sandbox-failure.js';
import { READY, type Answer, type Order, type Program } from './task.js';

interface Pending {
  readonly resolve: (json: string) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * One process of the sandbox, at work on one task at a time. It is a process and no thread because a thread that runs out of
 * memory takes its whole process along. It belongs to the company whose task it runs first, and ends with that: whatever a
 * program leaves in it, no other company finds it. Whatever goes past a limit in it, it is killed and not used again.
 */
export class Cell {
  /** Gone, or on its way: no further task. */
  over = false;
  /** Resolves when the process has ended. */
  readonly gone: Promise<void>;
  /** Undefined: the process could not be started. */
  readonly pid: number | undefined;
  private readonly child: ChildProcess;
  private readonly ready: Promise<void>;
  private company: string | null = null;
  private isLast = false;
  private pending: Pending | null = null;
  /** What an end from now on means for the task. */
  private verdict: SandboxFailure | null = null;

  /** @throws Error when there is no memory for another process (of other reasons `pid` tells) */
  constructor(readonly program: Program) {
    this.child = fork(CELL_FILE, [program], cellOptions());
    this.pid = this.child.pid;
    const ready = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    this.ready = ready.promise;
    this.gone = gone.promise;
    ready.promise.catch(() => undefined); // who has a task hears of it
    const end = (error: unknown): void => {
      this.over = true;
      ready.reject(error);
      this.pending?.reject(error);
      this.pending = null;
      gone.resolve();
    };
    this.child.on('message', (message: Answer | typeof READY) => {
      if (message === READY) ready.resolve();
      else this.hear(message);
    });
    this.child.on('error', (error) => (this.child.pid === undefined ? end(error) : undefined));
    this.child.on('exit', (code, signal) => end(this.verdict ?? diedOf(code, signal)));
    this.unref();
  }

  /**
   * The task's answer as JSON. The signal ends the process.
   *
   * @throws SandboxFailure
   */
  async run(companyId: string, order: Order, signal: AbortSignal): Promise<string> {
    this.company ??= companyId;
    if (this.company !== companyId) throw new Error('a process of the sandbox was given a task of another company');
    this.child.ref();
    this.child.channel?.ref();
    const onAbort = (): void => this.kill(new SandboxFailure('cancelled', 'The computation was cancelled.'));
    signal.addEventListener('abort', onAbort, { once: true });
    let timer: NodeJS.Timeout | undefined;
    try {
      if (signal.aborted) onAbort();
      await this.ready;
      timer = setTimeout(() => this.kill(tooSlow(order.timeoutMs)), order.timeoutMs + GRACE_MS);
      return await this.ask(order);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      if (!this.over) this.unref();
    }
  }

  /** From now on it gets the time that others leave. Since there is no way back, it is not used again. */
  stepBack(): void {
    this.isLast = true;
    if (this.pid === undefined || this.over) return;
    try {
      setPriority(this.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    } catch {
      // It has just ended, or the system has no such thing: then it has the share of any process.
    }
  }

  kill(verdict: SandboxFailure): void {
    this.over = true;
    this.verdict ??= verdict;
    this.child.ref();
    this.child.kill('SIGKILL');
  }

  /** Without a task, it keeps nobody from exiting. */
  private unref(): void {
    this.child.unref();
    this.child.channel?.unref();
  }

  private ask(order: Order): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    this.pending = { resolve, reject };
    // an error here means that the process is ending, which is heard of
    this.child.send(order, () => undefined);
    return promise;
  }

  private hear(answer: Answer): void {
    const { pending } = this;
    if (!pending || this.over) return;
    this.pending = null;
    if (answer.isLast || this.isLast) this.kill(new SandboxFailure('cancelled', 'It is not used again.'));
    if (answer.ok) return pending.resolve(answer.json);
    pending.reject(new SandboxFailure(answer.why === 'limit' ? 'sandbox_limit' : 'failed', answer.message, answer.at));
  }
}

function tooSlow(timeoutMs: number): SandboxFailure {
  return new SandboxFailure('sandbox_limit', `It took longer than ${timeoutMs} ms.`);
}

/** V8 aborts a process whose heap is full; other ends of a process that nobody killed are as bad. */
function diedOf(code: number | null, signal: NodeJS.Signals | null): SandboxFailure {
  const wasMemory = signal === 'SIGABRT' || signal === 'SIGTRAP' || signal === 'SIGKILL' || code === 134;
  const message = wasMemory
    ? `It took more memory than ${HEAP_MB} MB.`
    : `The sandbox process ended (${signal ?? `code ${code}`}).`;
  return new SandboxFailure('sandbox_limit', message);
}
