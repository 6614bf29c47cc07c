// `npm run k8s:prove [-- <vitest arguments>]`: runs the manifests of k8s/ on a real control plane, with the product's processes in the
// place of containers (docs/deploy/kubernetes.md). By hand only: the first run builds the control plane, which takes long.
import { findKubectl } from '../deploy/deploy-tools.mjs';
import { findMongod } from '../servers/find-mongod.mjs';
import { findRedis } from '../servers/find-redis.mjs';
import { NODE24, ROOT, inRoot, runEnv } from '../setup/root.mjs';
import { become, run } from '../setup/run.mjs';
import { say } from '../setup/say.mjs';
import { setUp } from '../setup/set-up.mjs';
import { Trouble, giveUp } from '../setup/trouble.mjs';
import { buildControlPlane } from './build.mjs';

/** Of the pods: every process listens at its pod's own address, and nothing outside of this namespace is reached or reachable. */
const NETWORK = ['unshare', '--user', '--map-root-user', '--net'];
const PREPARE = 'ip link set lo up && ip route add local 10.42.0.0/16 dev lo && exec "$@"';

try {
  await setUp();
  await requireNamespaces();
  const { env } = process;
  await buildControlPlane(env);
  await Promise.all([findKubectl(env), findMongod({ env, log: say }), findRedis({ env, log: say })]);
  const vitest = [inRoot('node_modules', 'vitest', 'vitest.mjs'), 'run', '--project', 'k8s', '--reporter', 'verbose'];
  const [unshare = '', ...options] = NETWORK;
  const command = [...options, 'sh', '-c', PREPARE, 'sh', NODE24, ...vitest, ...process.argv.slice(2)];
  process.exit(await become(unshare, command, { cwd: ROOT, env: { ...runEnv(), WEFT_PROVE_K8S: 'true' } }));
} catch (error) {
  giveUp(error);
}

async function requireNamespaces() {
  const [unshare = '', ...options] = NETWORK;
  const { code, output } = await run(unshare, [...options, 'sh', '-c', PREPARE, 'sh', 'true']);
  if (code === 0) return;
  throw new Trouble(
    `A network namespace for the pods cannot be made here: ${output.trim()}`,
    'This needs Linux with unshare (util-linux), ip (iproute2), and user namespaces allowed.',
  );
}
