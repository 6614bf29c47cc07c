import { isFinal } from '@weft/contracts';
import { isAtStoppedLane, type Play } from '@weft/engine';
import type { mongo } from 'mongoose';
import type { TenantScope } from '@weft/store';
import { MAYBE_AWAITED_FIELDS, withoutAwaited, type MaybeAwaited } from './awaited-plays.js';
import { LOOKED_AT } from './play-page.js';

type LookedAtPlay = MaybeAwaited & Pick<Play, 'turns'>;
const FIELDS = { ...MAYBE_AWAITED_FIELDS, turns: 1 } as const;

/**
 * Looks for a play that holds up the erasure of its flow: it has not ended, an open play may still need it, or a lane is stopped at
 * it. Goes from the newest to the oldest, a page a step: a flow may have millions of plays. When the last walk has found such a
 * play, that one is looked at first, then the older ones, and the newer ones last: most often it still holds up the flow.
 */
export class HeldUpWalk {
  private before?: string;
  private isAtNewer: boolean;

  /** @param known held up the flow when the last walk ended */
  constructor(
    private readonly plays: mongo.Collection<Play>,
    private readonly company: TenantScope,
    private readonly flowId: string,
    private readonly known?: string,
  ) {
    this.isAtNewer = known === undefined;
  }

  /** The play that holds up the flow; null: no play does; undefined: there are further pages. */
  async step(): Promise<string | null | undefined> {
    const isAtKnown = !this.isAtNewer && this.before === undefined;
    const page = isAtKnown ? await this.page({ $eq: this.known ?? '' }, 1) : await this.page(this.range(), LOOKED_AT);
    const holding = await this.holdingAmong(page);
    if (holding !== undefined) return holding;
    if (isAtKnown) {
      this.before = this.known;
      return undefined;
    }
    this.before = page.at(-1)?._id;
    if (page.length === LOOKED_AT) return undefined;
    if (this.isAtNewer) return null;
    this.isAtNewer = true;
    this.before = undefined;
    return undefined;
  }

  private range(): mongo.Document {
    const { before, known, isAtNewer } = this;
    return {
      ...(before !== undefined && { $lt: before }),
      ...(isAtNewer && { $gt: known ?? '' }),
    };
  }

  private page(_id: mongo.Document, limit: number): Promise<LookedAtPlay[]> {
    return this.plays
      .find<LookedAtPlay>({ company_id: this.company.companyId, flowId: this.flowId, _id } as mongo.Filter<Play>, {
        projection: FIELDS,
      })
      .sort({ _id: -1 })
      .hint('flow_plays')
      .limit(limit)
      .batchSize(limit)
      .toArray();
  }

  private async holdingAmong(page: readonly LookedAtPlay[]): Promise<string | undefined> {
    const open = page.find((play) => !isFinal(play.state) || isAtStoppedLane(play));
    if (open) return open._id;
    const free = new Set(await withoutAwaited(this.plays, this.company, page));
    return page.find((play) => !free.has(play))?._id;
  }
}
