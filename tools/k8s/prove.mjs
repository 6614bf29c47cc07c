// `npm run k8s:prove [-- <vitest arguments>]`: runs the manifests of k8s/ on a real control plane, with the product's processes in the
// place of containers (docs/deploy/kubernetes.md). By hand only: the first run builds the control plane, which takes long.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findKubectl } from '../deploy/deploy-tools.mjs';
import { findMongod } from '../servers/find-mongod.mjs';
import { findRedis } from '../servers/find-redis.mjs';
import { NODE24, ROOT, inRoot, runEnv } from '../setup/root.mjs';
import { become, run } from '../setup/run.mjs';
import { say } from '../setup/say.mjs';
import { setUp } from '../setup/set-up.mjs';
import { Trouble, giveUp } from '../setup/trouble.mjs';
import { buildControlPlane } from './build.mjs';

/**
 * A network of the pods' own: every process listens at its pod's address, and nothing outside is reached or reachable. And process
 * ids of their own: what is left of an interrupted run ends with it.
 */
const NAMESPACES = ['--user', '--map-root-user', '--net', '--pid', '--fork', '--kill-child', '--mount-proc'];
const PREPARE = 'ip link set lo up && ip route add local 10.42.0.0/16 dev lo && exec "$@"';

try {
  await setUp();
  await requireNamespaces();
  const { env } = process;
  await buildControlPlane(env, { keda: env.WEFT_PROVE_KEDA !== 'false' });
  await Promise.all([findKubectl(env), findMongod({ env, log: say }), findRedis({ env, log: say })]);
  const vitest = [inRoot('node_modules', 'vitest', 'vitest.mjs'), 'run', '--reporter', 'verbose'];
  const command = [...NAMESPACES, 'sh', '-c', PREPARE, 'sh', NODE24, ...vitest, ...process.argv.slice(2)];
  // Other test runs on this machine sweep the shared folder by process ids, which mean others in here.
  const folder = await mkdtemp(join(tmpdir(), 'weft-k8s-'));
  const inside = { ...runEnv(), WEFT_TESTS: 'k8s', TMPDIR: folder };
  const code = await become('unshare', command, { cwd: ROOT, env: inside });
  await rm(folder, { recursive: true, force: true });
  process.exit(code);
} catch (error) {
  giveUp(error);
}

async function requireNamespaces() {
  const { code, output } = await run('unshare', [...NAMESPACES, 'sh', '-c', PREPARE, 'sh', 'true']);
  if (code === 0) return;
  throw new Trouble(
    `Namespaces for the pods cannot be made here: ${output.trim()}`,
    'This needs Linux with unshare (util-linux), ip (iproute2), and user namespaces allowed.',
  );
}
