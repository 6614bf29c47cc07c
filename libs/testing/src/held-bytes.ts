import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/**
 * Bytes of the heap, or outside of it, that somebody still holds: what nobody holds may wait long to be collected, so it is collected first.
 *
 * @param kind as `process.memoryUsage()` names it
 */
export function heldBytes(kind: 'heapUsed' | 'arrayBuffers'): number {
  collectGarbage();
  return process.memoryUsage()[kind];
}
