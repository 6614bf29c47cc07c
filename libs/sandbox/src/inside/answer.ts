import type { Answer, Order } from '../task.js';
import { Broken, Failed, Limit } from './limit.js';
import type { RunTask } from './load-program.js';

/**
 * Never rejects.
 *
 * @param isFull whether this process has become too large to be used again
 */
export async function answerTo(order: Order, run: RunTask, isFull: () => boolean): Promise<Answer> {
  const answer = await answerOrFault(order, run);
  return { ...answer, isLast: answer.isLast || isFull() };
}

async function answerOrFault({ task, timeoutMs, maxChars }: Order, run: RunTask): Promise<Answer> {
  try {
    const json = await run(task, timeoutMs);
    if (json.length > maxChars) throw new Limit(`It gave more than ${maxChars} characters.`);
    return { ok: true, json, isLast: false };
  } catch (error) {
    return answerOf(error);
  }
}

function answerOf(error: unknown): Answer {
  if (error instanceof Failed) {
    const { message, text, position } = error;
    const at = position === undefined ? undefined : { text, position };
    return { ok: false, why: 'failed', message, ...(at && { at }), isLast: false };
  }
  if (error instanceof Limit) return { ok: false, why: 'limit', message: error.message, isLast: true };
  // the engine's own: the stack, a text or a list is as large as it can be
  if (error instanceof RangeError) {
    return { ok: false, why: 'limit', message: `It grew too deep or too large: ${error.message}.`, isLast: true };
  }
  // libraries say in their own errors what is wrong with a pattern or a path
  if (error instanceof Error && !INTERNAL.some((kind) => error instanceof kind)) {
    return { ok: false, why: 'failed', message: error.message, isLast: false };
  }
  return { ok: false, why: 'failed', message: 'It could not be computed.', isLast: true };
}

/** What their messages say is of the program's insides. */
const INTERNAL = [Broken, TypeError, ReferenceError, SyntaxError, EvalError, URIError];
