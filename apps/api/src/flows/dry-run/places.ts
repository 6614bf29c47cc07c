import { WeftError } from '@weft/kernel';

/**
 * Places for work that weighs on the process: so many at once, one for each key, and a few of each key that wait in line.
 * Those of other keys pass a key that is busy, so that nobody's line holds up anybody else's.
 */
export class Places {
  private readonly waiting: { readonly key: string; readonly enter: () => void }[] = [];
  private readonly busy = new Set<string>();

  constructor(
    private readonly max: number,
    private readonly maxWaiting: number,
  ) {}

  /** @throws WeftError `too_many_dry_runs`, and what `work` throws */
  async hold<T>(key: string, work: () => Promise<T>): Promise<T> {
    await this.enter(key);
    try {
      return await work();
    } finally {
      this.busy.delete(key);
      this.letIn();
    }
  }

  private async enter(key: string): Promise<void> {
    if (this.busy.size < this.max && !this.busy.has(key)) {
      this.busy.add(key);
      return;
    }
    if (this.waiting.filter((each) => each.key === key).length >= this.maxWaiting) {
      const detail = 'Dry runs of your company are at work and in line already; try again when they have ended.';
      throw new WeftError('too_many_dry_runs', detail, { retryAfterSeconds: 1 });
    }
    await new Promise<void>((enter) => void this.waiting.push({ key, enter }));
  }

  private letIn(): void {
    while (this.busy.size < this.max) {
      const at = this.waiting.findIndex(({ key }) => !this.busy.has(key));
      const next = at === -1 ? undefined : this.waiting.splice(at, 1)[0];
      if (!next) return;
      this.busy.add(next.key);
      next.enter();
    }
  }
}
