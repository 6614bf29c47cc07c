import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { NEW_ID, type NewId, type Drainable } from '@weft/kernel';
import { rarely, LOG } from '@weft/observability';
import { Migrations, Mongo } from '@weft/persistence';
import type { Logger } from 'pino';
import { PassLoop } from '../pass-loop.js';

const LOOK_EVERY_MS = 10_000;
const REPEAT_EVERY_MS = 86_400_000;

/**
 * Runs the migrations for which no process waits at startup. When no migration is left, it looks at the start and once a day whether
 * processes of earlier versions have made again what a migration removes.
 */
@Injectable()
export class MigrationKeeper implements OnApplicationBootstrap, Drainable {
  private readonly migrations: Migrations;
  private readonly loop: PassLoop;
  private readonly stopping = new AbortController();
  private left: number | null = null;
  private repeatAtMs = 0;

  constructor(mongo: Mongo, @Inject(NEW_ID) newId: NewId, @Inject(LOG) log: Logger) {
    const component = 'migrations';
    this.migrations = new Migrations(mongo, {
      owner: newId(),
      onDone: (done) => log.info({ component, ...done }, 'a migration is done'),
      onRepeated: (done) =>
        log.warn({ component, ...done }, 'a process of an earlier version had undone a migration; it is done again'),
    });
    const tell = rarely((err, times) =>
      log.error({ component, times, err }, 'a migration failed; it goes on where it was'),
    );
    this.loop = new PassLoop(
      'migrations',
      LOOK_EVERY_MS,
      () => this.pass(log.child({ component })),
      tell,
      Number.POSITIVE_INFINITY,
    );
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async drain(): Promise<void> {
    this.stopping.abort();
    await this.loop.stop();
  }

  private async pass(log: Logger): Promise<void> {
    if (this.left === 0) return this.repeat();
    const left = await this.migrations.pass(this.stopping.signal);
    if (left > 0 && left !== this.left)
      log.info({ left }, 'migrations wait: for old versions to end, or for another process');
    this.left = left;
  }

  private async repeat(): Promise<void> {
    if (performance.now() < this.repeatAtMs) return;
    if (await this.migrations.repeat()) this.repeatAtMs = performance.now() + REPEAT_EVERY_MS;
  }
}
