import { Script } from 'node:vm';
import { LimitExceeded } from './errors.js';

const holder: { work: () => unknown } = { work: () => undefined };
const NAME = 'work of the sandbox';
const call = new Script(`globalThis[Symbol.for(${JSON.stringify(NAME)})].work()`);
Object.defineProperty(globalThis, Symbol.for(NAME), { value: holder });

/**
 * Ends work that does not check the time itself: the parent kills a process that is late, but a parent that died cannot.
 *
 * @param timeoutMs of all that passes: the parent counts the time for which the process had a processor
 * @throws LimitExceeded
 */
export function runWithTimeout<T>(timeoutMs: number, work: () => T): T {
  holder.work = work;
  try {
    return call.runInThisContext({ timeout: timeoutMs }) as T;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
      throw new LimitExceeded(`It took longer than ${timeoutMs} ms.`);
    }
    throw error;
  } finally {
    holder.work = () => undefined;
  }
}
