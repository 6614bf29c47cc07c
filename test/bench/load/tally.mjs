// @ts-check
const ERRORS_KEPT = 5;

/** Counts what the load has sent, and keeps the latencies (ms) of requests that began inside the measured window. */
export function createTally() {
  let measuring = false;
  /** @type {number[]} */
  let latencies = [];
  let acceptedInWindow = 0;
  let accepted = 0;
  let refused = 0;
  /** @type {string[]} */
  const errors = [];

  return {
    begin() {
      measuring = true;
      latencies = [];
      acceptedInWindow = 0;
    },
    end() {
      measuring = false;
    },
    isMeasuring: () => measuring,
    accepted: () => accepted,
    /** @param {number} latencyMs @param {boolean} inWindow */
    accept(latencyMs, inWindow) {
      accepted += 1;
      if (measuring) acceptedInWindow += 1;
      if (inWindow) latencies.push(latencyMs);
    },
    /** @param {string} why */
    refuse(why) {
      refused += 1;
      if (errors.length < ERRORS_KEPT) errors.push(why);
    },
    report: () => ({ accepted, refused, errors, acceptedInWindow, acceptMs: percentiles(latencies) }),
  };
}

/** @typedef {ReturnType<typeof createTally>} Tally */
/** @typedef {{ count: number, p50: number, p95: number, p99: number, max: number }} Percentiles */

/** @param {number[]} values @returns {Percentiles | null} null without values */
export function percentiles(values) {
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  const at = (/** @type {number} */ share) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
}
