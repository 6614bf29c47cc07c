/** How far a loop came: outputs by index, a hole where an item has none. */
export interface LoopState {
  readonly outs: unknown[];
  done: number;
  /** Of the outputs as JSON. */
  bytes: number;
}

export function newLoop(items: number): LoopState {
  return { outs: new Array<unknown>(items), done: 0, bytes: 0 };
}

const MAX_LOOPS = 32;
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Loops of which an item failed, and that will be run again: what their other items gave is not asked for twice in this
 * process. The oldest are forgotten when there are too many, or they hold too much.
 */
export class UnfinishedLoops {
  private readonly states = new Map<string, LoopState>();
  private bytes = 0;

  /** The loop as it was left here; null when it was not. */
  take(key: string, items: number): LoopState | null {
    const left = this.states.get(key);
    this.forget(key);
    return left?.outs.length === items ? left : null;
  }

  keep(key: string, state: LoopState): void {
    this.forget(key);
    this.states.set(key, state);
    this.bytes += state.bytes;
    for (const oldest of this.states.keys()) {
      if (this.states.size <= MAX_LOOPS && this.bytes <= MAX_BYTES) break;
      this.forget(oldest);
    }
  }

  private forget(key: string): void {
    this.bytes -= this.states.get(key)?.bytes ?? 0;
    this.states.delete(key);
  }
}
