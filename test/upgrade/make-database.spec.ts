// Processes of its own: those of a release's build. `npm run test:upgrade -- --make-database` runs it.
import { processEnv, scratchFolder, spawnProcess } from '@weft/testing';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { inRoot } from '#tools/setup/root.mjs';
import { watchPlays } from '../chaos/harness/cluster.js';
import { startFleet } from '../e2e/harness/fleet.js';
import { runScript } from '../e2e/harness/run-script.js';
import { makeAll } from './all-states.js';

const { WEFT_RELEASED_BUILD: root = inRoot() } = process.env;
const file = process.env.WEFT_DATABASE_TO ?? join(scratchFolder('database'), 'weft.weft-backup');
/** It is in the repository. */
const MOST_BYTES = 200_000;

const { admin, servers } = await startFleet({
  onEmptyDatabase: true,
  spawn: (app, env, options) => spawnProcess(app, env, { root, ...options }),
});
const { plays } = await watchPlays(servers);

it('makes the database of a release', async () => {
  await makeAll(admin, plays);
  rmSync(file, { force: true });
  const { code, said } = await runScript('standalone/src/backup.main.js', [file], processEnv(servers), root);
  expect([code, said]).toEqual([0, expect.stringContaining(file)]);
  expect(statSync(file).size).toBeLessThan(MOST_BYTES);
});
