import type { SandboxProcess } from './sandbox-process.js';
import { IDLE_MS } from './limits.js';
import { SandboxFailure } from './sandbox-failure.js';
import type { Program } from './task.js';

interface IdleProcess {
  readonly process: SandboxProcess;
  /** Null: the process has not run a task yet. */
  readonly companyId: string | null;
  readonly timer: NodeJS.Timeout;
}

/**
 * The pool of processes, by company. After a task a process stays idle for its company; it is ended after a minute, or when too
 * many processes are idle and it is the one that has been idle longest. Besides, one new process is kept ready for any company,
 * for each program that was used within the last minute.
 */
export class CompanyProcesses {
  private readonly all = new Set<SandboxProcess>();
  /** Ordered by the start of their idle time, the longest idle first. */
  private idle: readonly IdleProcess[] = [];
  private closed = false;

  /**
   * @param start starts a process; when there is no room for one, it throws or the `pid` is undefined
   * @param maxIdle how many idle processes are kept for companies
   */
  constructor(
    private readonly start: (program: Program) => SandboxProcess,
    private readonly maxIdle: number,
  ) {}

  /** A process that has run tasks of this company only. Null when the machine has no room for it. */
  acquire(companyId: string, program: Program): SandboxProcess | null {
    return this.takeIdle(companyId, program) ?? this.takeIdle(null, program) ?? this.startProcess(program);
  }

  /** The task of this process is done. */
  release(companyId: string, sandboxProcess: SandboxProcess): void {
    this.addIdle(companyId, sandboxProcess);
    const owned = this.idle.filter((each) => each.companyId !== null);
    for (const { process: oldest } of owned.slice(0, Math.max(0, owned.length - this.maxIdle))) this.endProcess(oldest);
  }

  /** Starts a process in advance, unless one is ready. */
  prepare(program: Program): void {
    if (this.closed) return;
    const ready = this.idle.find((each) => each.companyId === null && each.process.program === program);
    const prepared = ready?.process ?? this.startProcess(program);
    if (prepared) this.addIdle(null, prepared);
  }

  async close(reason: SandboxFailure): Promise<void> {
    this.closed = true;
    for (const { timer } of this.idle) clearTimeout(timer);
    for (const each of this.all) each.kill(reason);
    await Promise.all([...this.all].map((each) => each.ended));
  }

  private takeIdle(companyId: string | null, program: Program): SandboxProcess | null {
    const found = this.idle.findLast((each) => each.companyId === companyId && each.process.program === program);
    if (!found) return null;
    this.removeIdle(found.process);
    return found.process;
  }

  private startProcess(program: Program): SandboxProcess | null {
    let started: SandboxProcess;
    try {
      started = this.start(program);
    } catch {
      return null;
    }
    if (started.pid === undefined) return null;
    this.all.add(started);
    void started.ended.then(() => {
      this.all.delete(started);
      this.removeIdle(started);
    });
    return started;
  }

  private addIdle(companyId: string | null, sandboxProcess: SandboxProcess): void {
    this.removeIdle(sandboxProcess);
    if (this.closed || sandboxProcess.isEnding) return;
    const timer = setTimeout(() => this.endProcess(sandboxProcess), IDLE_MS).unref();
    this.idle = [...this.idle, { process: sandboxProcess, companyId, timer }];
  }

  private removeIdle(sandboxProcess: SandboxProcess): void {
    clearTimeout(this.idle.find((each) => each.process === sandboxProcess)?.timer);
    this.idle = this.idle.filter((each) => each.process !== sandboxProcess);
  }

  private endProcess(sandboxProcess: SandboxProcess): void {
    this.removeIdle(sandboxProcess);
    sandboxProcess.kill(new SandboxFailure('cancelled', 'It has nothing to do.'));
  }
}
