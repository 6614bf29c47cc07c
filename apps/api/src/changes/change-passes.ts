import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Drainable } from '@weft/kernel';
import {
  ChangeFeedsRepository,
  ChangeLog,
  ChangeSequencer,
  FIRST_LIVE,
  Mongo,
  type TenantScope,
} from '@weft/persistence';

/** A pass that lasts longer goes on without its caller, who meanwhile gets what is in the log. */
const PASS_WITHIN_MS = 2_000;

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

  /** Number of the batch with which a reader begins that wants what is stored from now on. Makes the log of a company that has no log. */
  async present(scope: TenantScope): Promise<number> {
    await this.feeds.use(scope);
    // the first one may have begun before this request
    await this.pass(scope);
    await this.pass(scope);
    const last = (await this.log.bounds(scope))?.last ?? 0;
    return Math.max(last + 1, FIRST_LIVE);
  }

  /** @returns how long it took, or as far as it was waited for, in ms */
  async pass(scope: TenantScope): Promise<number> {
    const startedAt = performance.now();
    const over = new AbortController();
    try {
      const pass = this.sequencer.pass(scope);
      pass.catch(() => undefined); // of one that nobody waits for any more: the next pass tells
      await Promise.race([pass, sleep(PASS_WITHIN_MS, undefined, { signal: over.signal }).catch(() => undefined)]);
    } finally {
      over.abort();
    }
    return performance.now() - startedAt;
  }
}
