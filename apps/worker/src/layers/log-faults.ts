import type { LayerCall } from '@weft/layers';
import type { Logger } from 'pino';
import { playLogFields } from '../plays/play-log-fields.js';

const MAX_FRAMES = 12;

/** Logs where a fault of the program arose, without its message, which may contain data of tenants. */
export function logFaults(log: Logger): (call: LayerCall, fault: unknown) => void {
  const faults = log.child({ component: 'layers' });
  return ({ play }, fault) => {
    const { name, stack } = fault instanceof Error ? fault : { name: typeof fault, stack: '' };
    const frames = (stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
    const at = frames.slice(0, MAX_FRAMES).map((line) => line.trim());
    faults.error({ ...playLogFields(play), fault: { name, at } }, 'a layer stopped at a fault of this program');
  };
}
