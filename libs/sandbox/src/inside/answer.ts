import type { Answer, Order } from '../task.js';
import { Failed, Limit } from './limit.js';
import type { RunTask } from './load-program.js';

/** Never rejects. */
export async function answerTo({ task, timeoutMs, maxChars }: Order, run: RunTask): Promise<Answer> {
  try {
    const json = await run(task, timeoutMs);
    if (json.length > maxChars) throw new Limit(`It gave more than ${maxChars} characters.`);
    return { ok: true, json };
  } catch (error) {
    return answerOf(error);
  }
}

function answerOf(error: unknown): Answer {
  if (error instanceof Failed) {
    const { message, text, position } = error;
    return { ok: false, why: 'failed', message, ...(position !== undefined && { at: { text, position } }) };
  }
  const message = error instanceof Error ? error.message : String(error);
  // the engine's own: the stack, a text or a list is as large as it can be
  if (error instanceof RangeError)
    return { ok: false, why: 'limit', message: `It grew too deep or too large: ${message}.` };
  return { ok: false, why: error instanceof Limit ? 'limit' : 'failed', message };
}
