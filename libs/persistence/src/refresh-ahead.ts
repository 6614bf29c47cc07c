/** What was read counts for this long; so a change is effective after at most this, also while no message of it comes. */
export const FRESH_MS = 1_000;
/** From this age on, what is used is read again soon. */
const AHEAD_MS = FRESH_MS / 2;
/** Together with all that is used until then; at least as long is left for the answer. */
const GATHER_MS = FRESH_MS / 4;

/**
 * What is in use is read again before it is too old to be believed, and all of it together: a few questions a second, however many
 * there are, and nobody waits for them. What nobody uses any more is not read again.
 */
export class RefreshAhead<Key> {
  private keys = new Set<Key>();

  constructor(private readonly refresh: (keys: ReadonlySet<Key>) => void) {}

  /** @param ageMs since the question was sent whose answer was used just now */
  used(key: Key, ageMs: number): void {
    if (ageMs < AHEAD_MS) return;
    this.keys.add(key);
    if (this.keys.size === 1) setTimeout(() => this.flush(), GATHER_MS).unref();
  }

  private flush(): void {
    const { keys } = this;
    this.keys = new Set();
    this.refresh(keys);
  }
}
