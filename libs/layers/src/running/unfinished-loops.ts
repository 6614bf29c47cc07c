import type { DoneItems } from '@weft/engine';

/** The progress of a loop: outputs by index; an item without output is a hole. */
export interface LoopState {
  readonly outs: unknown[];
  /** Indexes of the outputs that are collected failures. */
  readonly failed: Set<number>;
  done: number;
  /** Size of the outputs as JSON. */
  bytes: number;
  readonly packed: PackedItems;
}

/** What of a loop is ready to be stored with its play. */
interface PackedItems {
  readonly indexes: Set<number>;
  items?: DoneItems;
  /** How many of them the play has. */
  saved: number;
}

export function newLoop(items: number): LoopState {
  return {
    outs: new Array<unknown>(items),
    failed: new Set(),
    done: 0,
    bytes: 0,
    packed: { indexes: new Set(), saved: 0 },
  };
}

const MAX_LOOPS = 32;
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Loops in which an item failed and that will be called again: the outputs of their other items are kept in this
 * process, so that those are not called twice. The oldest are forgotten when there are too many, or they hold too much.
 */
export class UnfinishedLoops {
  private readonly states = new Map<string, LoopState>();
  private bytes = 0;

  /** Removes and returns the kept state; null when no state is kept. */
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
