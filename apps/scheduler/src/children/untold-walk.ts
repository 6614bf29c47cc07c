import { isStoreUnavailable, type UntoldPlay } from '@weft/persistence';
import { RestingPlays } from '../resting-plays.js';

export interface UntoldWalkDeps {
  /** Ended plays whose parents were not told, but these. */
  readonly untold: (limit: number, except: readonly string[]) => Promise<readonly UntoldPlay[]>;
  /** False: the parent cannot be told now. */
  readonly tell: (child: UntoldPlay) => Promise<boolean>;
  /** A child's parent could not be told: the others are not affected. */
  readonly onFault: (error: unknown) => void;
}

const PAGE = 200;

/** Tells parents of the ends of their children. One that cannot be told is left alone for a while, and holds up no other one. */
export class UntoldWalk {
  private readonly resting = new RestingPlays();

  constructor(private readonly deps: UntoldWalkDeps) {}

  /** @returns how many were told */
  async pass(): Promise<number> {
    let told = 0;
    for (const child of await this.deps.untold(PAGE, this.resting.ids())) {
      const isTold = await this.deps.tell(child).catch((error: unknown) => {
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
