// Processes of its own: those of the build of a release, and then of this one. `npm run test:upgrade` says which release.
import { privateMongod, privateRedis, processEnv, spawnProcess, type AppName } from '@weft/testing';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inRoot } from '#tools/setup/root.mjs';
import { insistentLoad } from '../chaos/harness/insistent-load.js';
import { watchPlays } from '../chaos/harness/cluster.js';
import { callsByKey, repeatedCalls } from '../chaos/harness/call-faults.js';
import { chargedWithACrash, historyFaults, playHistory } from '../chaos/harness/play-history.js';
import { balancer } from '../e2e/harness/balancer.js';
import { startFleet } from '../e2e/harness/fleet.js';
import { runScript } from '../e2e/harness/run-script.js';
import { COUNTED, endAll, faultsOf, makeAll } from './all-states.js';

const { WEFT_RELEASED_BUILD: released = inRoot() } = process.env;
const { version } = JSON.parse(readFileSync(join(released, 'package.json'), 'utf8')) as { readonly version: string };
const PER_SECOND = 20;
/** The order of an upgrade: docs/operations.md. */
const APPS = ['worker', 'scheduler', 'realtime', 'api'] as const satisfies readonly AppName[];

const [mongod, redis] = await Promise.all([privateMongod(), privateRedis()]);
const fleet = await startFleet({
  apps: [...APPS, 'worker', 'api'],
  env: { SHUTDOWN_NOTICE_SECONDS: '1' },
  servers: { mongodbUri: mongod.uri, redisUrl: redis.uri },
  onEmptyDatabase: true,
  spawn: (app, env, options) => spawnProcess(app, env, { root: released, ...options }),
});
const { add, ledger, of, servers } = fleet;
ledger.answerWith(() => ({ body: {}, delayMs: 200 }));
const apis = await balancer(of('api').map(({ port }) => port));
const admin = fleet.admin.at(apis.url);
const { plays, since } = await watchPlays(servers);

interface Finding {
  readonly check: string;
  readonly severity: 'ok' | 'warning' | 'error';
  readonly says: string;
}

/** What the doctor of this build says before anything stops. */
async function outlook(): Promise<readonly Finding[]> {
  const env = { ...processEnv(servers), API_URL: apis.url };
  const { said } = await runScript('standalone/src/doctor.main.js', ['--json', '--upgrade-from', version], env);
  const { findings } = JSON.parse(said) as { readonly findings: readonly Finding[] };
  return findings.filter(({ check }) => check.startsWith('upgrade.'));
}

async function start(app: AppName): Promise<void> {
  const { port } = await add(app, { root: inRoot(), readyWithinMs: 150_000 });
  if (app === 'api') apis.add(port);
}

it(
  'every play that a release has accepted ends once after its processes were replaced by this build under load',
  {
    timeout: 900_000,
  },
  async ({ annotate }) => {
    const made = await makeAll(admin, plays);
    const args = { ends: 'DONE' };
    const flow = await admin.createFlow({ name: 'Load' });
    const call = { method: 'POST', url: `${ledger.url}/called` };
    await admin.addLayer(flow.id, { ref: 'pause', appId: 'delay', args: { ms: 1_500 } });
    await admin.addLayer(flow.id, { ref: 'call', appId: 'web-request', args: call });
    await admin.addLayer(flow.id, COUNTED);
    const load = insistentLoad({
      perSecond: PER_SECOND,
      clients: [admin],
      run: () => ({ flowId: flow.id, body: { args } }),
    });

    const said = await outlook();
    expect(said.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(said.map(({ check }) => check)).toEqual(expect.arrayContaining(['upgrade.processes', 'upgrade.migrations']));
    const needsStandstill = said.some(({ check, severity }) => check === 'upgrade.processes' && severity === 'warning');
    const old = APPS.flatMap((app) => of(app));
    if (needsStandstill) {
      await Promise.all(old.map((process) => process.stop()));
      await Promise.all(APPS.map(start));
    } else {
      for (const app of APPS) {
        const leaving = of(app);
        await Promise.all(leaving.map(() => start(app)));
        for (const process of leaving) await process.stop();
      }
    }
    expect(await Promise.all(old.map(({ ended }) => ended))).toEqual(old.map(() => 0));
    await load.stop();

    await endAll(admin, plays);
    expect(await faultsOf(plays, [...made, ...load.accepted.values()])).toEqual([]);
    const history = await playHistory(plays, since);
    expect(chargedWithACrash(history)).toEqual([]);
    // a migration may write plays that have ended
    if (said.some(({ says }) => says === 'No migration will run.')) expect(historyFaults(history)).toEqual([]);
    expect([callsByKey(ledger.calls).size, repeatedCalls(ledger.calls)]).toEqual([load.accepted.size, 0]);
    if (!needsStandstill) expect([load.refused(), apis.faults]).toEqual([0, []]);
    await annotate(
      `from ${version}, ${needsStandstill ? 'at standstill' : 'one after another'}: ${made.length} plays in all states, ${load.accepted.size} of the load`,
    );
  },
);
