import { flag, wholeNumber } from './parse.js';
import { setting } from './setting-entry.js';

/** What workers execute, and how they store it. */
export const WORKER = {
  'worker.slots': setting(
    'WORKER_SLOTS',
    'Plays that a worker executes at once. While all slots are taken, a tenth more (at least one) is for companies that hold few of them.',
    wholeNumber(1, 10_000),
    200,
  ),
  'worker.json_once': setting(
    'STORE_JSON_ONCE',
    'Whether JSON answers of web requests are stored once. Processes of versions that do not have this setting show them without their json: turn it on when none of them runs any more.',
    flag,
    false,
  ),
} as const;
