import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Settings } from '@weft/config';
import type { HealthService, Log } from '@weft/observability';

import { drainAll, findDrainables, within } from './drain.js';

/** Kept of the grace for closing connections after the work has been handed back. */
const CLOSING_SHARE = 0.2;

export interface StopParts {
  readonly app: NestFastifyApplication;
  readonly settings: Settings;
  readonly health: HealthService;
  readonly log: Log;
  /** Closes everything that was opened, the app first. */
  readonly close: () => Promise<void>;
}

/**
 * Not ready any more → work ended or handed back → connections closed, all within SHUTDOWN_GRACE_SECONDS. Requests that
 * arrive meanwhile are served and told to connect elsewhere. What does not end in time is cut: nothing accepted is lost
 * by that, another process takes it over.
 */
export async function stopProcess({ app, settings, health, log, close }: StopParts): Promise<void> {
  const graceMs = settings.server.shutdownGraceSeconds * 1_000;
  const end = performance.now() + graceMs;
  health.startDraining();
  await drainAll(findDrainables(app), graceMs * (1 - CLOSING_SHARE), log.pino);
  log.pino.info('drained; closing');
  const closing = close();
  if (await within(closing, Math.max(0, end - performance.now()))) return;
  process.stderr.write('Connections were still open when the grace ended; they are cut.\n');
  app.getHttpServer().closeAllConnections();
  await within(closing, 500);
}
