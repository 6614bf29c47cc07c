import { startMongod, startRedis, type Certificates, type LocalServer } from '#tools/servers/index.mjs';
import { cleanUpWith } from './clean-up.js';
import { scratchFolder } from '../test-run.js';

export type { Certificates, LocalServer } from '#tools/servers/index.mjs';

/**
 * A MongoDB for one spec file or one test, which may kill, freeze and start it again. Stopped when that is done.
 * @param options.certificates it takes TLS, too, at the same port
 */
export function privateMongod(options: { readonly certificates?: Certificates } = {}): Promise<LocalServer> {
  return keep(startMongod({ folder: scratchFolder('mongod'), ...options }));
}

/**
 * A Redis for one spec file or one test, which may kill, freeze and start it again.
 * @param options.persistent false: it forgets everything when it is killed (default true: append-only file)
 * @param options.sentinel true: a Sentinel, which watches what `SENTINEL MONITOR` names
 * @param options.certificates it takes TLS, too, at `tlsPort`
 */
export function privateRedis(
  options: { readonly persistent?: boolean; readonly sentinel?: boolean; readonly certificates?: Certificates } = {},
): Promise<LocalServer & { readonly tlsPort?: number | undefined }> {
  return keep(startRedis({ folder: scratchFolder('redis'), ...options }));
}

/**
 * A Redis as one of a cluster, which its caller makes. `clusterPort`: where the others reach it.
 * @param options.certificates it takes TLS, too, at `tlsPort`
 */
export function privateClusterServer(
  options: { readonly certificates?: Certificates } = {},
): Promise<LocalServer & { readonly clusterPort?: number | undefined; readonly tlsPort?: number | undefined }> {
  return keep(startRedis({ folder: scratchFolder('redis'), cluster: true, ...options }));
}

function keep<T extends LocalServer>(starting: Promise<T>): Promise<T> {
  cleanUpWith(async () => (await starting).stop());
  return starting;
}
