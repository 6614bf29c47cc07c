import { WeftError } from '@weft/kernel';
import type { Play } from './play.js';
import type { PlayWrite } from './play-write.js';

/** The key of a play. Company and flow are part of every hot query; the collection can be sharded by company. */
export interface PlayKey {
  readonly playId: string;
  readonly companyId: string;
  readonly flowId: string;
}

/** The store cannot hold the play as it would be after this, and would say so again: nothing was stored. */
export class UnstorableError extends WeftError {
  constructor(
    /** `not_storable`: something in it has no form in the store. */
    readonly why: 'too_large' | 'not_storable',
    detail: string,
    cause?: unknown,
  ) {
    super(why === 'too_large' ? 'value_too_large' : 'internal', detail, { cause });
    this.name = 'UnstorableError';
  }
}

/** What became of a write. */
export interface Written {
  readonly isStored: boolean;
  /** The store's clock. Absent: not stored, or not known. */
  readonly completedAt?: Date;
}

/** The source of truth about plays. Every method resolves only after the change is durable. */
export interface PlayStore {
  /**
   * Inserts the play; when its idempotency key binds another play already, gives that one and inserts nothing.
   *
   * @param takesKeyOf a failed play: if it holds the key, it gives it to the new one
   * @throws UnstorableError
   */
  accept(play: Play, takesKeyOf?: string): Promise<{ readonly play: Play; readonly replayed: boolean }>;
  find(key: PlayKey): Promise<Play | null>;
  /**
   * True: stored. False: `match` did not hold, read again and decide.
   * A lost answer is cleared up by reading before this resolves (docs/protocol.md §3, rule 10).
   *
   * @throws UnstorableError
   */
  write(key: PlayKey, write: PlayWrite): Promise<boolean>;
  /** The same for a write that ends the play: also gives the time of the end, where the store need not be asked for it again. */
  writeEnd(key: PlayKey, write: PlayWrite): Promise<Written>;
  /** Renews the leases of these owners; gives the keys of those that this process does not own any more. */
  renew(owned: readonly OwnedPlay[]): Promise<readonly OwnedPlay[]>;
}

export interface OwnedPlay {
  readonly key: PlayKey;
  readonly owner: string;
}
