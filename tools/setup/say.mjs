const BEAT_MS = 5_000;

/** @param {string} line */
export function say(line) {
  console.log(`weft: ${line}`);
}

/**
 * Runs one long step and shows that it is alive: a line at its start, one every 5 s, one with its time at the end.
 * @template T
 * @param {string} label
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function step(label, work) {
  const startedAt = Date.now();
  const seconds = () => `${((Date.now() - startedAt) / 1000).toFixed(1)} s`;
  say(`${label} …`);
  const beat = setInterval(() => say(`${label} … ${seconds()}`), BEAT_MS);
  try {
    const result = await work();
    say(`${label}: done in ${seconds()}`);
    return result;
  } finally {
    clearInterval(beat);
  }
}
