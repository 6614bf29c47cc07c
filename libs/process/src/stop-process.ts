import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Settings } from '@weft/config';
import type { HealthService, Log } from '@weft/observability';

import type { BalancerWatch } from './balancer-watch.js';
import { closeServer } from './close-server.js';
import { drainAll, findDrainables, within } from './drain.js';
import { lastWords } from './last-words.js';
import { AFTER_REQUESTS, orderOf, type Drainable } from '@weft/kernel';
import type { ProcessName } from './process-options.js';

/** The part of the grace that is reserved for closing connections after the work has been handed back. */
const CLOSING_SHARE = 0.2;
/** The largest part of the grace for waiting until load balancers notice. */
const NOTICE_SHARE = 0.5;

/** Processes that receive requests from a load balancer, which learns from their readiness that they stop. */
const SERVE_OTHERS: ReadonlySet<ProcessName> = new Set(['api', 'realtime']);

export interface StopParts {
  readonly name: ProcessName;
  readonly app: NestFastifyApplication;
  readonly settings: Settings;
  readonly health: HealthService;
  readonly balancers: BalancerWatch;
  readonly log: Log;
  /** Closes everything that was opened, except the app. */
  readonly close: () => Promise<void>;
}

/**
 * Stops being ready, and serves until balancers notice → finishes or hands back its work → answers the requests in progress →
 * ends what served them → closes connections; all within SHUTDOWN_GRACE_SECONDS. Every answer meanwhile has `connection: close`.
 * Work that does not finish in time is cut off: no accepted run is lost, because another process takes it over.
 */
export async function stopProcess(parts: StopParts): Promise<void> {
  const { app, settings, health, log } = parts;
  const graceMs = settings.server.shutdownGraceSeconds * 1_000;
  const end = performance.now() + graceMs;
  const left = (share: number): number => Math.max(0, end - performance.now() - graceMs * (1 - share));
  health.startDraining();
  const noticeMs = SERVE_OTHERS.has(parts.name) ? settings.server.shutdownNoticeSeconds * 1_000 : 0;
  await parts.balancers.noticed(Math.min(noticeMs, graceMs * NOTICE_SHARE));

  const drainables = findDrainables(app);
  const isForRequests = (each: Drainable): boolean => orderOf(each) >= AFTER_REQUESTS;
  await drainAll(
    drainables.filter((each) => !isForRequests(each)),
    left(1 - CLOSING_SHARE),
    log.pino,
  );
  const closing = closeServer(app);
  if (!(await within(closing, left(1 - CLOSING_SHARE / 2))))
    log.pino.warn('requests were still under way; they are cut');
  await drainAll(drainables.filter(isForRequests), left(1), log.pino);
  log.pino.info('drained; closing');
  if (await within(Promise.all([closing, parts.close()]), left(1))) return;
  lastWords('ERROR', parts.name, 'Connections were still open when the grace ended; they are cut.');
  app.getHttpServer().closeAllConnections();
  await within(closing, 500);
}
