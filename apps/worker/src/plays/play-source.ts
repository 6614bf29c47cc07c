import { Injectable } from '@nestjs/common';
import type { Play, PlayKey } from '@weft/engine';
import type { PreparedVersion } from '@weft/layers';
import { MongoPlayStore } from '@weft/persistence';
import { FlowVersions } from '../layers/flow-versions.js';
import type { AskRoom } from './play-room.js';
import { WorkerState } from '../worker-state.js';
import { retryWhileUnavailable, waitUntilFound } from './store-retries.js';

/** A play that is rung for becomes visible to readers within this time. */
const MISSING_MS = 2_000;

/** Reads plays and prepares their versions; waits while MongoDB is unreachable. */
@Injectable()
export class PlaySource {
  constructor(
    private readonly store: MongoPlayStore,
    private readonly versions: FlowVersions,
    private readonly worker: WorkerState,
  ) {}

  /** A play that was just rung for: it may not be visible yet. Null: there is no such play. */
  find(key: PlayKey, room: AskRoom): Promise<Play | null> {
    const read = () => this.store.find(key, room);
    return waitUntilFound(() => retryWhileUnavailable(read, this.worker.closing), MISSING_MS);
  }

  /** Reads again after a refused write. */
  reread(key: PlayKey, room: AskRoom): Promise<Play | null> {
    return retryWhileUnavailable(() => this.store.find(key, room), this.worker.closing);
  }

  /** Reads after it show at least what was acknowledged before. */
  catchUp(): Promise<void> {
    return retryWhileUnavailable(() => this.store.catchUp(), this.worker.closing);
  }

  /** The play's version, ready to run; null when it is gone. @throws UnreadableVersion */
  prepare({ company_id, flowId, version }: Play): PreparedVersion | Promise<PreparedVersion | null> {
    const get = () => this.versions.get(company_id, flowId, version);
    const known = get();
    return known instanceof Promise ? retryWhileUnavailable(get, this.worker.closing) : known;
  }
}
