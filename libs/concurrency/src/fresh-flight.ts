/**
 * Makes one call at a time for each key, and each caller gets a call that began after it asked: those who ask during a call share
 * the next one. When the result of a call that is already in progress is good enough, take `SingleFlight`.
 */
export class FreshFlight<Key> {
  private readonly current = new Map<Key, Promise<void>>();
  private readonly next = new Map<Key, Promise<void>>();

  /** @param work what the call does, unless another caller's call for this key is about to begin */
  run(key: Key, work: () => Promise<void>): Promise<void> {
    const shared = this.next.get(key);
    if (shared) return shared;
    const current = this.current.get(key);
    if (!current) return this.begin(key, work);
    const begin = (): Promise<void> => {
      this.next.delete(key);
      return this.begin(key, work);
    };
    const next = current.then(begin, begin);
    this.next.set(key, next);
    return next;
  }

  private begin(key: Key, work: () => Promise<void>): Promise<void> {
    const call = work().finally(() => {
      if (this.current.get(key) === call) this.current.delete(key);
    });
    this.current.set(key, call);
    return call;
  }
}
