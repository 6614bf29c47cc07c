import type { ClockMeans } from './replica-set.js';
import { seededRandom } from './seeded-random.js';

/** 0: each fault once, as in `npm test`. `npm run chaos` sets it. */
export const MINUTES = Number(process.env.WEFT_CHAOS_MINUTES ?? 0);
/** Of what is random; what a seed finds becomes a test of its own. */
export const SEED = Number(process.env.WEFT_CHAOS_SEED ?? 1);
/** Set with libfaketime in a long campaign; in `npm test` told by relays, which needs nothing of the machine. */
export const CLOCK_MEANS: ClockMeans = MINUTES > 0 ? 'is set' : 'is told';
const ROOM_MS = 240_000;

/** Of a test that strikes for as long as was asked for. */
export const CAMPAIGN_TIMEOUT_MS = MINUTES * 60_000 + ROOM_MS;

/** Which fault is next: the first ones each once, in their order; in a long campaign, then any at random until its time is up. */
export function* faultsInTurn(first: readonly string[], all: readonly string[]): Iterable<string> {
  const until = performance.now() + MINUTES * 60_000;
  yield* first;
  const random = seededRandom(SEED);
  while (performance.now() < until) yield all[Math.floor(random() * all.length)] ?? '';
}
