import { Injectable } from '@nestjs/common';
import type { Play, PlayKey } from '@weft/engine';
import type { PreparedVersion } from '@weft/layers';
import { MongoPlayStore } from '@weft/store';
import { FlowVersions } from '../layers/flow-versions.js';
import type { AskRoom } from './play-room.js';
import { WorkerState } from '../worker-state.js';
import { retryWhileUnavailable } from './store-retries.js';

/** Reads plays and prepares their versions; waits while MongoDB is unreachable. */
@Injectable()
export class PlaySource {
  constructor(
    private readonly store: MongoPlayStore,
    private readonly versions: FlowVersions,
    private readonly worker: WorkerState,
  ) {}

  /** Null: there is no such play. */
  find(key: PlayKey, room: AskRoom): Promise<Play | null> {
    return retryWhileUnavailable(() => this.store.find(key, room), this.worker.closing);
  }

  /** The play's version, ready to run; null when it is gone. @throws UnreadableVersion */
  prepare({ company_id, flowId, version }: Play): PreparedVersion | Promise<PreparedVersion | null> {
    const get = () => this.versions.get(company_id, flowId, version);
    const known = get();
    return known instanceof Promise ? retryWhileUnavailable(get, this.worker.closing) : known;
  }
}
