/**
 * Callers that ask for the same key at the same time share one call. The result is not kept: the next caller after the end
 * begins a new call. When a request during a call must be followed by another call, take `CoalescingRunner`.
 */
export class SingleFlight<Key, Value> {
  private readonly inFlight = new Map<Key, Promise<Value>>();

  /** @param work what the call does, unless one for this key is in flight */
  run(key: Key, work: () => Promise<Value>): Promise<Value> {
    const joined = this.inFlight.get(key);
    if (joined) return joined;
    const call = work();
    this.inFlight.set(key, call);
    const land = (): void => {
      if (this.inFlight.get(key) === call) this.inFlight.delete(key);
    };
    call.then(land, land);
    return call;
  }

  /** Something has changed: calls in flight may return what was true before. Nobody joins them any more. */
  detach(): void {
    this.inFlight.clear();
  }
}
