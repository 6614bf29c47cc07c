import { isStoreUnavailable, type EndedChild } from '@weft/store';
import { RestingPlays } from '../resting-plays.js';

export interface PendingParentScanDeps {
  /** Ended plays whose parents have not been notified, except these. */
  readonly pending: (limit: number, except: readonly string[]) => Promise<readonly EndedChild[]>;
  /** False: the parent cannot be notified now. */
  readonly notify: (child: EndedChild) => Promise<boolean>;
  /** A child's parent could not be notified. The other children are not affected. */
  readonly onFault: (error: unknown) => void;
}

const PAGE = 200;

/**
 * Notifies parents of the ends of their children. A child whose parent cannot be notified is skipped for a while, and delays
 * no other one.
 */
export class PendingParentScan {
  private readonly resting = new RestingPlays();

  constructor(private readonly deps: PendingParentScanDeps) {}

  /** @returns how many parents were notified */
  async pass(): Promise<number> {
    let told = 0;
    for (const child of await this.deps.pending(PAGE, this.resting.ids())) {
      const isTold = await this.deps.notify(child).catch((error: unknown) => {
        if (isStoreUnavailable(error)) throw error;
        this.deps.onFault(error);
        return false;
      });
      if (isTold) {
        told += 1;
        this.resting.written(child._id);
      } else this.resting.failed(child._id);
    }
    return told;
  }
}
