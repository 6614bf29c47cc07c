import { wholeNumber } from './parse.js';
import { setting } from './setting-entry.js';

/** How fast deliveries of other services are taken. */
export const TRIGGERS = {
  'triggers.rate': setting(
    'TRIGGER_RATE',
    'Deliveries per second that one trigger accepts, over all replicas; ten seconds of it may come at once.',
    wholeNumber(1, 1_000_000),
    100,
  ),
  'triggers.company_rate': setting(
    'TRIGGER_COMPANY_RATE',
    'Deliveries per second that all triggers of one company accept together; ten seconds of it may come at once.',
    wholeNumber(1, 1_000_000),
    500,
  ),
} as const;
