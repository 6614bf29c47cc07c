import { wholeNumber } from './parse.js';
import { setting } from './setting-entry.js';

/** What workers execute. */
export const WORKER = {
  'worker.slots': setting(
    'WORKER_SLOTS',
    'Plays that a worker executes at once. While all slots are taken, a tenth more (at least one) is for companies that hold few of them.',
    wholeNumber(1, 10_000),
    200,
  ),
} as const;
