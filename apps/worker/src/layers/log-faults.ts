import type { LayerCall } from '@weft/layers';
import type { Logger } from 'pino';
import { playNames } from '../plays/play-names.js';

const MAX_FRAMES = 12;

/** Logs where a fault of the program arose. Not what it says: that may hold what tenants wrote. */
export function logFaults(log: Logger): (call: LayerCall, fault: unknown) => void {
  const faults = log.child({ component: 'layers' });
  return ({ play }, fault) => {
    const { name, stack } = fault instanceof Error ? fault : { name: typeof fault, stack: '' };
    const frames = (stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
    const at = frames.slice(0, MAX_FRAMES).map((line) => line.trim());
    faults.error({ ...playNames(play), fault: { name, at } }, 'a layer stopped at a fault of this program');
  };
}
