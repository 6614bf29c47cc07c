import { isStoreUnavailable, type LoopKey } from '@weft/persistence';
import { inParallel } from '../in-parallel.js';

export interface LoopScanDeps {
  /** Loops with ends that they have not stored, after this one. */
  readonly withEnds: (after: LoopKey | null, limit: number) => Promise<readonly LoopKey[]>;
  readonly notify: (loop: LoopKey) => Promise<void>;
  /** A loop could not be notified. The others are not affected. */
  readonly onFault: (error: unknown) => void;
}

const PAGE = 200;
/** Loops that are looked at in parallel: a company with many of them delays the others' less. */
const AT_ONCE = 8;

/** Looks at loops whose items have started plays that have ended, a page in each pass, one page after the other. */
export class LoopScan {
  private after: LoopKey | null = null;

  constructor(private readonly deps: LoopScanDeps) {}

  async pass(): Promise<void> {
    const page = await this.deps.withEnds(this.after, PAGE);
    this.after = page.length < PAGE ? null : (page.at(-1) ?? null);
    await inParallel(page, AT_ONCE, (loop) =>
      this.deps.notify(loop).catch((error: unknown) => {
        if (isStoreUnavailable(error)) throw error;
        this.deps.onFault(error);
      }),
    );
  }
}
