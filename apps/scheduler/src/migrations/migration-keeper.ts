import { Inject, Injectable } from '@nestjs/common';
import { LOG } from '@weft/observability';
import { Mongo } from '@weft/store';
import { Migrations } from '@weft/records';
import type { Logger } from 'pino';

const REPEAT_EVERY_MS = 86_400_000;

/**
 * Runs the migrations for which no process waits at startup. When no migration is left, it looks at the start and once a day whether
 * processes of earlier versions have made again what a migration removes.
 */
@Injectable()
export class MigrationKeeper {
  private readonly migrations: Migrations;
  private left: number | null = null;
  private repeatAtMs = 0;

  constructor(
    mongo: Mongo,
    @Inject(LOG) private readonly log: Logger,
  ) {
    const component = 'migrations';
    this.migrations = new Migrations(mongo, {
      onDone: (done) => log.info({ component, ...done }, 'a migration is done'),
      onRepeated: (done) =>
        log.warn({ component, ...done }, 'a process of an earlier version had undone a migration; it is done again'),
    });
  }

  /** Goes on until none can be run now, or the signal says so. */
  async pass(signal: AbortSignal): Promise<void> {
    if (this.left === 0) return this.repeat();
    const left = await this.migrations.pass(signal);
    if (left > 0 && left !== this.left) {
      const about = { component: 'migrations', left };
      this.log.info(about, 'migrations wait: for old versions to end, or for another process');
    }
    this.left = left;
  }

  private async repeat(): Promise<void> {
    if (performance.now() < this.repeatAtMs) return;
    if (await this.migrations.repeat()) this.repeatAtMs = performance.now() + REPEAT_EVERY_MS;
  }
}
