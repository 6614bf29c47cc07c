import { Module, type Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Settings } from '@weft/config';
import { provisionTasks, startProcess, type RunningProcess } from '@weft/process';
import { HealthService } from '@weft/observability';
import { say } from '#tools/setup/say.mjs';
import { ApiModule } from '../../api/src/api.module.js';
import { createApiAdapter } from '../../api/src/http/http-adapter.js';
import { LiveStreams } from '../../realtime/src/live-streams.js';
import { offerOpenApi } from '../../api/src/http/openapi.controller.js';
import { RealtimeModule } from '../../realtime/src/realtime.module.js';
import { mergePages } from './metrics/merge-pages.js';
import { ChildProcesses } from './processes/child-processes.js';
import { QUIET_CONSOLE } from './quiet-console.js';

/** API and sockets in this process, which also answers for its child processes on `/health` and `/metrics`; it listens when all are ready. */
export function startFront(
  settings: Settings,
  children: ChildProcesses,
  { showLog, isCalledOff }: { readonly showLog: boolean; readonly isCalledOff: () => boolean },
): Promise<RunningProcess> {
  return startProcess({
    name: 'standalone',
    module: standaloneModule(children),
    settings,
    // This app prints the login itself, at every start.
    bootTasks: provisionTasks(
      () => undefined,
      () =>
        say('Another version used this database within the last minute. Waiting, up to a minute, until it is gone …'),
    ),
    adapter: createApiAdapter,
    beforeListen: async (app) => {
      offerOpenApi(app);
      app.get(LiveStreams).attach(app);
      await children.ready(isCalledOff);
      answerForChildren(app, children);
    },
    needs: { database: true, queue: false },
    logOut: showLog ? undefined : QUIET_CONSOLE,
    embedded: true,
  });
}

/** Includes the child processes, so that they drain with it: before the sockets. */
function standaloneModule(children: ChildProcesses): Type<unknown> {
  @Module({ imports: [ApiModule, RealtimeModule], providers: [{ provide: ChildProcesses, useValue: children }] })
  class StandaloneModule {}
  return StandaloneModule;
}

function answerForChildren(app: NestFastifyApplication, children: ChildProcesses): void {
  const health = app.get(HealthService);
  // Not fatal: while the worker restarts, runs are still accepted.
  for (const check of children.checks) health.add(check, { part: 'queue', fatal: false });
  const server = app.getHttpAdapter().getInstance();
  server.addHook('onSend', async (request, reply, payload) => {
    const isPage = request.routeOptions.url === '/metrics' && reply.statusCode === 200 && typeof payload === 'string';
    return isPage ? mergePages([payload, ...(await children.metricsPages())]) : payload;
  });
}
