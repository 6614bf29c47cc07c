import type { TaskAnswer, TaskRequest } from '../task.js';
import { FilesMissing, LimitExceeded, SandboxBroken, TaskFailed } from './errors.js';
import type { RunTask } from './load-program.js';

/**
 * Never rejects.
 *
 * @param isFull whether this process has become too large to be used again
 */
export async function answerTo(request: TaskRequest, run: RunTask, isFull: () => boolean): Promise<TaskAnswer> {
  const answer = await answerOrError(request, run);
  return { ...answer, isLast: answer.isLast || isFull() };
}

async function answerOrError({ task, timeoutMs, maxChars }: TaskRequest, run: RunTask): Promise<TaskAnswer> {
  try {
    const json = await run(task, timeoutMs);
    if (json.length > maxChars) throw new LimitExceeded(`It gave more than ${maxChars} characters.`);
    return { ok: true, json, isLast: false };
  } catch (error) {
    return answerOf(error);
  }
}

function answerOf(error: unknown): TaskAnswer {
  if (error instanceof TaskFailed) {
    const { message, text, position } = error;
    const at = position === undefined ? undefined : { text, position };
    return { ok: false, reason: 'failed', message, ...(at && { at }), isLast: false };
  }
  if (error instanceof FilesMissing) {
    return { ok: false, reason: 'failed', message: error.message, files: error.files, isLast: false };
  }
  if (error instanceof LimitExceeded) return { ok: false, reason: 'limit', message: error.message, isLast: true };
  // thrown by the JavaScript engine: the stack, a string or an array has reached its maximum size
  if (error instanceof RangeError) {
    return { ok: false, reason: 'limit', message: `It grew too deep or too large: ${error.message}.`, isLast: true };
  }
  // the libraries' own errors say what is wrong with a pattern or a path
  if (error instanceof Error && !INTERNAL_ERRORS.some((kind) => error instanceof kind)) {
    return { ok: false, reason: 'failed', message: error.message, isLast: false };
  }
  return { ok: false, reason: 'failed', message: 'It could not be computed.', isLast: true };
}

/** Their messages describe internals of the program, which users must not see. */
const INTERNAL_ERRORS = [SandboxBroken, TypeError, ReferenceError, SyntaxError, EvalError, URIError];
