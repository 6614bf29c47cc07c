/**
 * How long a piece of work holds the event loop, in processor time of this thread: what else the machine does meanwhile does not
 * count, nor does waiting.
 */
export interface Held {
  /** The longest turn, in milliseconds. */
  readonly longestMs: number;
  /** All turns together. */
  readonly allMs: number;
}

/** Does `work`, and looks at the processor time of the thread once in each turn of the loop. */
export async function heldBy(work: () => Promise<unknown>): Promise<Held> {
  await new Promise((resolve) => setImmediate(resolve));
  const begun = usedMicros();
  let last = begun;
  let longest = 0;
  let next: NodeJS.Immediate | undefined;
  const look = (): void => {
    const now = usedMicros();
    longest = Math.max(longest, now - last);
    last = now;
    next = setImmediate(look).unref();
  };
  // not referenced: it looks in each turn, and does not keep a loop turning that has nothing to do
  next = setImmediate(look).unref();
  try {
    await work();
  } finally {
    clearImmediate(next);
    look();
    clearImmediate(next);
  }
  return { longestMs: longest / 1_000, allMs: (last - begun) / 1_000 };
}

function usedMicros(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
