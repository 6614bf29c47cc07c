import type { DoneItems } from '@weft/engine';
import { isDeepStrictEqual } from 'node:util';

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
 * Loops in which an item failed or has to wait, and that will be called again: the outputs of their other items are kept in this
 * process, so that those are not called twice. The oldest are forgotten when there are too many, or they hold too much.
 */
export class UnfinishedLoops {
  private readonly states = new Map<string, LoopState & { readonly read: DoneItems | undefined }>();
  private bytes = 0;

  /**
   * Removes and returns the kept state; null when no state is kept, or another worker has gone on with the loop since.
   *
   * @param stored what its play has of the loop
   */
  take(key: string, items: number, stored: DoneItems | undefined): LoopState | null {
    const left = this.states.get(key);
    this.forget(key);
    if (left?.outs.length !== items) return null;
    return isDeepStrictEqual(stored, left.read) || isDeepStrictEqual(stored, left.packed.items) ? left : null;
  }

  /** @param read what its play had of the loop when it was handed out */
  keep(key: string, state: LoopState, read: DoneItems | undefined): void {
    this.forget(key);
    this.states.set(key, { ...state, read });
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
