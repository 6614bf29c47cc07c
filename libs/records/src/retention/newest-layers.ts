import type { Play } from '@weft/engine';
import { BATCH_SIZE } from '@weft/retention';
import type { mongo } from 'mongoose';
import { LOOKED_AT } from './play-page.js';

/** Finds the plays whose layers are among the newest, from the newest play on, a page a step. */
export class NewestLayers {
  private layers = 0;
  private before?: string;

  /** @param from plays before this id are not asked for */
  constructor(
    private readonly plays: mongo.Collection<Play>,
    private readonly companyId: string,
    private readonly minEntries: number,
    private readonly from: string,
  ) {}

  /** The oldest of them; null: all plays that are asked for are among them; undefined: there are further pages. */
  async step(): Promise<string | null | undefined> {
    const older = this.before === undefined ? {} : { $lt: this.before };
    const missing = this.minEntries - this.layers;
    const limit = Math.min(LOOKED_AT, Math.max(BATCH_SIZE, missing));
    const page = await this.plays
      .find<Pick<Play, '_id' | 'cursor' | 'layersErasedAt'>>(
        { company_id: this.companyId, _id: { $gte: this.from, ...older } },
        { projection: { cursor: 1, layersErasedAt: 1 } },
      )
      .sort({ _id: -1 })
      .hint('company_plays')
      .limit(limit)
      .batchSize(limit)
      .toArray();
    for (const { _id, cursor, layersErasedAt } of page) {
      if (layersErasedAt) continue;
      this.layers += cursor;
      if (this.layers >= this.minEntries) return _id;
    }
    this.before = page.at(-1)?._id;
    return page.length < limit ? null : undefined;
  }

  /** The same, in one go. */
  async find(): Promise<string | null> {
    for (;;) {
      const found = await this.step();
      if (found !== undefined) return found;
    }
  }
}
