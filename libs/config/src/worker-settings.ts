import { WORKER_LABEL } from '@weft/contracts';
import { wholeNumber, words } from './parse.js';
import { setting } from './setting-entry.js';

/** What workers execute. */
export const WORKER = {
  'worker.slots': setting(
    'WORKER_SLOTS',
    'Plays that a worker executes at once. While all slots are taken, a tenth more (at least one) is for companies that hold few of them.',
    wholeNumber(1, 10_000),
    200,
  ),
  'worker.label': setting(
    'WORKER_LABEL',
    'A worker with a label executes only plays of companies with this label, and a worker without one only plays of companies without one (docs/companies.md#workers-of-its-own).',
    words(WORKER_LABEL, 'acme'),
    null,
  ),
} as const;
