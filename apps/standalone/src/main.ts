import { BootError } from '@weft/process';
import { LOG } from '@weft/observability';
import { readConfigFile, SettingsError, withConfigFile, type Environment } from '@weft/config';
import type { Logger } from 'pino';
import { provideServers } from '#tools/servers/index.mjs';
import { say } from '#tools/setup/say.mjs';
import { giveUp, Trouble } from '#tools/setup/trouble.mjs';
import { DataFolder } from './data-folder.js';
import { openDemoTarget } from './demo/demo-target.js';
import { demonstrate } from './demo/demonstrate.js';
import { checkSettings, demoLogin, sharedEnvironment, sharedSettings } from './environment.js';
import { startFront } from './front-process.js';
import { greet } from './greet.js';
import { Lifetime } from './lifetime.js';
import { choosePorts, demandFree } from './ports.js';
import { openChildren } from './processes/child-processes.js';

/** The whole product on one machine: databases, worker and scheduler as child processes, API and sockets in this process. */
async function main(given: Environment, lifetime: Lifetime): Promise<void> {
  const startedAt = performance.now();
  const file = readConfigFile(given);
  const env = withConfigFile(given, file);
  const { server, dataDir } = checkSettings(given, file);
  await demandFree(server.port, server.host);
  const folder = await lifetime.open(DataFolder.hold(dataDir), (held) => held.release());
  const servers = await lifetime.open(provideServers({ folder: folder.path, env, log: say }), ({ stop }) => stop());
  const ports = await choosePorts(folder, ['worker', 'scheduler', 'demo']);
  const target = await lifetime.open(openDemoTarget(ports.demo), (opened) => opened.close());

  const login = demoLogin(env, folder);
  const shared = sharedEnvironment(env, { servers, login, demoPort: ports.demo, dataDir });
  const settings = sharedSettings(shared, given, file);
  // They start while this process creates its own application.
  const children = openChildren(settings, shared, ports);
  lifetime.add(() => children.stop());
  const options = { showLog: Boolean(env.LOG_LEVEL), isCalledOff: () => lifetime.isEnding };
  const front = await lifetime.open(startFront(settings, children, options), (running) => running.stop());
  lifetime.watchErrors(front.app.get<Logger>(LOG));

  const url = `http://localhost:${front.port}`;
  folder.remember({ url });
  await lifetime.open(demonstrate({ apiUrl: url, targetUrl: target.url, login, folder }));
  greet({ url, settings, login, folder, seconds: (performance.now() - startedAt) / 1_000 });
}

const lifetime = new Lifetime(say);
try {
  await main(process.env, lifetime);
} catch (error) {
  // Asked to stop during the start: not a failure, and the process ends by itself.
  if (!lifetime.isEnding) {
    await lifetime.end();
    // Their message is all that is printed.
    if (error instanceof BootError || error instanceof SettingsError) giveUp(new Trouble(error.message, ''));
    giveUp(error);
  }
}
