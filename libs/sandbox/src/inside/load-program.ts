import type { Program, SandboxTask } from '../task.js';

/** JSON of what the task gives. @throws Failed, Limit */
export type RunTask = (task: SandboxTask, timeoutMs: number) => string | Promise<string>;

/** Loads no more than the program needs: what a process loads is most of what its start takes. */
export async function loadProgram(program: Program): Promise<RunTask> {
  switch (program) {
    case 'expressions': {
      const [{ runExpressions }, { findMatches }] = await Promise.all([
        import('./expressions.js'),
        import('./matches.js'),
      ]);
      return (task, timeoutMs) => {
        if (task.kind === 'expressions') return runExpressions(task, timeoutMs);
        if (task.kind === 'extraction') return findMatches(task, timeoutMs);
        throw unfit(task, program);
      };
    }
    case 'code': {
      const { runCode } = await import('./code.js');
      return (task, timeoutMs) => {
        if (task.kind === 'code') return runCode(task, timeoutMs);
        throw unfit(task, program);
      };
    }
    case 'documents': {
      const { searchDocument } = await import('./documents.js');
      return (task, timeoutMs) => {
        if (task.kind === 'extraction') return searchDocument(task, timeoutMs);
        throw unfit(task, program);
      };
    }
  }
}

function unfit({ kind }: SandboxTask, program: Program): Error {
  return new Error(`a process that runs ${program} was given ${kind}`);
}
