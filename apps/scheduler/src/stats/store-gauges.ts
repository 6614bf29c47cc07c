import { Inject, Injectable } from '@nestjs/common';
import { Metrics } from '@weft/observability';
import { diskShareOf, newestBackupOf } from '@weft/records';
import { memoryShareOf, REDIS, serversOf, type Redis } from '@weft/redis';
import { Mongo } from '@weft/store';

/** How full the stores are, and how old the last backup is, as the doctor says it too: for alerts. */
@Injectable()
export class StoreGauges {
  constructor(
    private readonly mongo: Mongo,
    private readonly metrics: Metrics,
    @Inject(REDIS) private readonly redis: Redis,
  ) {}

  async measure(): Promise<void> {
    const [disk, memory, backup] = await Promise.all([
      diskShareOf(this.mongo),
      this.fullestRedis().catch(() => null),
      newestBackupOf(this.mongo),
    ]);
    const backupSeconds = backup && Math.max(0, this.mongo.serverNow() - backup.getTime()) / 1_000;
    this.metrics.storesFilled({ mongodb: disk, redis: memory }, backupSeconds);
  }

  /** Of the servers of a cluster the share of the fullest one. */
  private async fullestRedis(): Promise<number | null> {
    const shares = await Promise.all(serversOf(this.redis).map(async (one) => memoryShareOf(await one.info('memory'))));
    const known = shares.filter((share) => share !== null);
    return known.length === 0 ? null : Math.max(...known);
  }
}
