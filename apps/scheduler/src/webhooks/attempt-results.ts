import { GroupCommit } from '@weft/concurrency';
import { SystemScope } from '@weft/store';
import { type AttemptResult, type WebhookDeliveriesRepository } from '@weft/records';

const ALL = new SystemScope('what became of attempts to deliver is stored for all companies together');
const MAX_BATCH = 200;
const LINGER_MS = 3;

/** Stores what became of attempts, many in one round trip. */
export class AttemptResults {
  private readonly writes: GroupCommit<AttemptResult, void>;

  constructor(deliveries: WebhookDeliveriesRepository) {
    this.writes = new GroupCommit<AttemptResult, void>(
      async (results) => {
        await deliveries.record(ALL, results);
        return results.map(() => ({ ok: undefined }));
      },
      { maxBatch: MAX_BATCH, lingerMs: LINGER_MS },
    );
  }

  /** @throws the error of MongoDB: the delivery is still pending, and is sent again */
  store(result: AttemptResult): Promise<void> {
    return this.writes.add(result);
  }
}
