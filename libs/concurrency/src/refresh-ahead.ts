/** A value that was read is used for this long: a change is effective by then, even if no message about it arrives. */
export const FRESH_MS = 1_000;
/** A value that is used at this age or later is read again soon. */
const AHEAD_MS = FRESH_MS / 2;
/** Together with all that are used within this time; at least as much time is left for the answer. */
const GATHER_MS = FRESH_MS / 4;

/**
 * Values in use are read again before they are too old, all of them together: a few queries a second, however many values there
 * are, and no caller waits for them. Values that are not used any more are not read again. It keeps no values: take it when you
 * keep them yourself, otherwise `ReadThroughCache`, which uses it.
 */
export class RefreshAhead<Key> {
  private keys = new Set<Key>();

  constructor(private readonly refresh: (keys: ReadonlySet<Key>) => void) {}

  /** @param ageMs time since the query was sent whose result was used just now */
  used(key: Key, ageMs: number): void {
    if (ageMs < AHEAD_MS) return;
    if (this.keys.size === 0) setTimeout(() => this.flush(), GATHER_MS).unref();
    this.keys.add(key);
  }

  private flush(): void {
    const { keys } = this;
    this.keys = new Set();
    this.refresh(keys);
  }
}
