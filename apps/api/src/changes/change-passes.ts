import { Injectable } from '@nestjs/common';
import type { Drainable } from '@weft/kernel';
import {
  ChangeFeedsRepository,
  ChangeLog,
  ChangeSequencer,
  FIRST_LIVE,
  Mongo,
  PASS_WITHIN_MS,
  type TenantScope,
} from '@weft/store';
import { within } from '@weft/process';

/** Brings change logs up to date for requests, one pass at a time for each company. */
@Injectable()
export class ChangePasses implements Drainable {
  private readonly feeds: ChangeFeedsRepository;
  private readonly log: ChangeLog;
  private readonly sequencer: ChangeSequencer;

  constructor(mongo: Mongo) {
    this.feeds = new ChangeFeedsRepository(mongo);
    this.log = new ChangeLog(mongo);
    this.sequencer = new ChangeSequencer(mongo);
  }

  drain(): Promise<void> {
    this.sequencer.stop();
    return Promise.resolve();
  }

  /**
   * Number of the batch with which a reader begins that wants what is stored from now on. Makes the log of a company that has no log.
   * While its first walk goes on, the batches from there on contain old changes, too: those that the walk comes to later.
   */
  async present(scope: TenantScope): Promise<number> {
    await this.feeds.use(scope);
    await this.pass(scope);
    // read first: a walk that ends in between is only believed to go on
    const feed = await this.feeds.find(scope);
    const last = (await this.log.bounds(scope))?.last ?? 0;
    return feed?.complete ? Math.max(last + 1, FIRST_LIVE) : last + 1;
  }

  /** @returns how long it took, or as far as it was waited for, in ms */
  async pass(scope: TenantScope): Promise<number> {
    const startedAt = performance.now();
    await within(this.sequencer.pass(scope), PASS_WITHIN_MS);
    return performance.now() - startedAt;
  }
}
