import { Injectable } from '@nestjs/common';
import { PROTOCOL_TIMES } from '@weft/engine';
import { Pass, PassRunner } from '@weft/process';
import { lookFor, Mongo, type Look } from '@weft/store';

/** As often as the pass that watches owners has to be made. */
const EVERY_MS = PROTOCOL_TIMES.renewMs / 4;
/** A glance that takes longer has failed: the passes do not wait for it. */
const WITHIN_MS = 5_000;
/** `restMs` of a pass that a glance wakes: by then it is made in any case. */
export const RESTS_FOR_MS = 60_000;

interface Watched {
  /** Names of passes. */
  readonly passes: readonly string[];
  /** @param now MongoDB's clock */
  readonly looks: (now: Date) => readonly Look[];
}

/**
 * Looks for the work of several passes with one query, and wakes those for which there is some: of an installation that does nothing
 * the stores notice hardly anything. When the query fails all are made, and each says what it meets.
 */
@Injectable()
export class Glance {
  private readonly all: Watched[] = [];

  constructor(
    private readonly mongo: Mongo,
    private readonly passes: PassRunner,
  ) {}

  /** These passes are made when one of the looks finds something. Providers add theirs in their constructors. */
  wake(passes: readonly string[], looks: Watched['looks']): void {
    this.all.push({ passes, looks });
  }

  @Pass({ name: 'glance', everyMs: EVERY_MS })
  async look(): Promise<void> {
    const now = new Date(this.mongo.serverNow());
    const asked = this.all.flatMap(({ passes, looks }) => looks(now).map((look) => ({ passes, look })));
    // several passes may look for the same
    const questions = [...Map.groupBy(asked, ({ look }) => JSON.stringify(look)).values()];
    const [first, ...others] = questions.flatMap(([question]) => question?.look ?? []);
    if (!first) return;
    let found: readonly boolean[] | null = null;
    try {
      found = await lookFor(this.mongo, [first, ...others], WITHIN_MS);
    } finally {
      const wanted = questions.filter((_, i) => found === null || found[i]).flat();
      for (const name of new Set(wanted.flatMap(({ passes }) => passes))) this.passes.wake(name);
    }
  }
}
