import type { ClockMeans } from './replica-set.js';
import { seededRandom } from './seeded-random.js';

/** 0: each fault once, as in `npm test`. `npm run chaos` sets it. */
export const MINUTES = Number(process.env.WEFT_CHAOS_MINUTES ?? 0);
/** A campaign of `npm run test:faults`, or of several minutes; that of `npm test` has less load and less time between faults. */
export const IS_WHOLE = MINUTES > 0 || process.env.WEFT_EVERY !== undefined;
/** Seed of the random choices; a fault that a seed finds becomes a separate test. */
export const SEED = Number(process.env.WEFT_CHAOS_SEED ?? 1);
/** How clocks are changed: with libfaketime in a long campaign; in `npm test` by relays, which work on any machine. */
export const CLOCK_MEANS: ClockMeans = MINUTES > 0 ? 'is set' : 'is told';
/** For the faults that are injected once each, on a slow machine. */
const ROOM_MS = 600_000;

/** Time limit of a test that injects faults for as long as requested. */
export const CAMPAIGN_TIMEOUT_MS = MINUTES * 60_000 + ROOM_MS;

/** Which fault is next: the first ones each once, in their order; in a long campaign, then any at random until its time is up. */
export function* faultsInTurn(first: readonly string[], all: readonly string[]): Iterable<string> {
  const until = performance.now() + MINUTES * 60_000;
  yield* first;
  const random = seededRandom(SEED);
  while (performance.now() < until) yield all[Math.floor(random() * all.length)] ?? '';
}
