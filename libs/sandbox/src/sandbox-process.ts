import { fork, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { cpuTimeMs } from './cpu-time.js';
import { processOptions, PROGRAM_FILE } from './process-options.js';
import { HEAP_MB, IMPORT_LONGEST_MS, longestMs } from './limits.js';
import { ProgramLimit } from './program-limit.js';
import { SandboxFailure } from './sandbox-failure.js';
import { READY, type TaskAnswer, type TaskRequest, type Program } from './task.js';
import { setPriorityOfSession, setPriorityOfThreads } from './thread-priority.js';

interface PendingAnswer {
  readonly resolve: (json: string) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * One process of the sandbox, which runs one task at a time. It is a process and not a thread because a thread that runs out of
 * memory ends its whole process. It belongs to the company whose task it runs first, until it ends: no other company can find
 * what a program leaves in it. When a task exceeds a limit, the process is killed and not used again.
 */
export class SandboxProcess {
  /** The process has ended or is ending: it takes no further task. */
  isEnding = false;
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
  /** Undefined: the process could not be started. */
  readonly pid: number | undefined;
  private readonly child: ChildProcess;
  private readonly ready: Promise<void>;
  private companyId: string | null = null;
  private isLast = false;
  private pending: PendingAnswer | null = null;
  /** What the task fails with if the process ends from now on. */
  private endReason: SandboxFailure | null = null;

  /** @throws Error when there is no memory for another process (after other failures `pid` is undefined) */
  constructor(readonly program: Program) {
    this.child = fork(PROGRAM_FILE, [program], processOptions(program));
    this.pid = this.child.pid;
    const ready = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    this.ready = ready.promise;
    this.ended = ended.promise;
    ready.promise.catch(() => undefined); // `run` awaits it and reports the error
    const onEnd = (error: unknown): void => {
      this.isEnding = true;
      ready.reject(error);
      this.pending?.reject(error);
      this.pending = null;
      ended.resolve();
    };
    this.child.on('message', (message: TaskAnswer | typeof READY) => {
      if (message !== READY) return this.onAnswer(message);
      this.leaveTheMachineToRuns();
      ready.resolve();
    });
    this.leaveTheMachineToRuns();
    this.child.on('error', (error) => (this.child.pid === undefined ? onEnd(error) : undefined));
    this.child.on('exit', (code, signal) => onEnd(this.endReason ?? failureOfExit(program, code, signal)));
    this.unref();
  }

  /**
   * The task's answer as JSON. The signal ends the process.
   *
   * @throws SandboxFailure
   */
  async run(companyId: string, request: TaskRequest, signal: AbortSignal): Promise<string> {
    this.companyId ??= companyId;
    if (this.companyId !== companyId) throw new Error('a process of the sandbox was given a task of another company');
    this.child.ref();
    this.child.channel?.ref();
    const onAbort = (): void => this.kill(new SandboxFailure('cancelled', 'The computation was cancelled.'));
    signal.addEventListener('abort', onAbort, { once: true });
    let limit: ProgramLimit | undefined;
    try {
      if (signal.aborted) onAbort();
      await this.ready;
      const longest = this.program === 'openapi' ? IMPORT_LONGEST_MS : longestMs(request.timeoutMs);
      limit = new ProgramLimit(request.timeoutMs, longest, this.usedMs, (limitMs) => this.kill(tooSlow(limitMs)));
      return await this.send(request);
    } finally {
      limit?.end();
      signal.removeEventListener('abort', onAbort);
      if (!this.isEnding) this.unref();
    }
  }

  /** From now on the process gets the CPU time that others leave. That cannot be undone, so it is not used again. */
  lowerPriority(): void {
    this.isLast = true;
    if (this.pid === undefined || this.isEnding) return;
    setPriorityOfThreads(this.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  }

  /** Nobody waits for the end of an import as for that of a run. A thread that starts later has the priority of its starter. */
  private leaveTheMachineToRuns(): void {
    if (this.program !== 'openapi' || this.pid === undefined) return;
    setPriorityOfThreads(this.pid, constants.priority.PRIORITY_LOW);
    // a tenth of what another session gets that is busy, too: some of it even on a machine that always is
    setPriorityOfSession(this.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  }

  kill(reason: SandboxFailure): void {
    this.isEnding = true;
    this.endReason ??= reason;
    this.child.ref();
    this.child.kill('SIGKILL');
  }

  private readonly usedMs = (): number | null => (this.pid === undefined ? null : cpuTimeMs(this.pid));

  /** Without a task, the child does not keep this process from exiting. */
  private unref(): void {
    this.child.unref();
    this.child.channel?.unref();
  }

  private send(request: TaskRequest): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    this.pending = { resolve, reject };
    // an error here means that the process is ending: its `exit` event rejects the promise
    this.child.send(request, () => undefined);
    return promise;
  }

  private onAnswer(answer: TaskAnswer): void {
    const { pending } = this;
    if (!pending || this.isEnding) return;
    this.pending = null;
    if (answer.isLast || this.isLast) this.kill(new SandboxFailure('cancelled', 'It is not used again.'));
    if (answer.ok) return pending.resolve(answer.json);
    pending.reject(
      new SandboxFailure(
        answer.reason === 'limit' ? 'sandbox_limit' : 'failed',
        answer.message,
        answer.at,
        answer.files,
      ),
    );
  }
}

function tooSlow(timeoutMs: number): SandboxFailure {
  return new SandboxFailure('sandbox_limit', `It took longer than ${timeoutMs} ms.`);
}

/** V8 aborts a process whose heap is full; any other end of a process that we did not kill is reported as a limit, too. */
function failureOfExit(program: Program, code: number | null, signal: NodeJS.Signals | null): SandboxFailure {
  const wasMemory = signal === 'SIGABRT' || signal === 'SIGTRAP' || signal === 'SIGKILL' || code === 134;
  const message = wasMemory
    ? `It took more memory than ${HEAP_MB[program]} MB.`
    : `The sandbox process ended (${signal ?? `code ${code}`}).`;
  return new SandboxFailure('sandbox_limit', message);
}
