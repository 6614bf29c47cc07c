import { longestMs } from '../limits.js';
import type { Program, SandboxTask } from '../task.js';

/** The task's result as JSON. @throws TaskFailed, LimitExceeded */
export type RunTask = (task: SandboxTask, timeoutMs: number) => string | Promise<string>;

/** Loads only what the program needs: loading takes most of the time that a process needs to start. */
export async function loadProgram(program: Program): Promise<RunTask> {
  switch (program) {
    case 'expressions': {
      const [{ runExpressions }, { findMatches }] = await Promise.all([
        import('./expressions.js'),
        import('./matches.js'),
      ]);
      return (task, timeoutMs) => {
        if (task.kind === 'expressions') return runExpressions(task, timeoutMs);
        if (task.kind === 'extraction') return findMatches(task, longestMs(timeoutMs));
        throw wrongProgram(task, program);
      };
    }
    case 'code': {
      const { runCode } = await import('./code.js');
      return (task, timeoutMs) => {
        if (task.kind === 'code') return runCode(task, timeoutMs);
        throw wrongProgram(task, program);
      };
    }
    case 'openapi': {
      const { importOpenapi } = await import('./openapi.js');
      return (task) => {
        if (task.kind === 'openapi') return importOpenapi(task);
        throw wrongProgram(task, program);
      };
    }
    case 'documents': {
      const { searchDocument } = await import('./documents.js');
      return (task, timeoutMs) => {
        if (task.kind === 'extraction') return searchDocument(task, longestMs(timeoutMs));
        throw wrongProgram(task, program);
      };
    }
  }
}

function wrongProgram({ kind }: SandboxTask, program: Program): Error {
  return new Error(`a process that runs ${program} was given ${kind}`);
}
