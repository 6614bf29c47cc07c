import type * as http from 'node:http';

type Env = Readonly<Record<string, string | undefined>>;

/** A receiver or a Weft on this machine is no business of a proxy. */
const LOCAL = ['localhost', '127.0.0.1', '[::1]', '::1'];

/**
 * Requests and sockets go through `HTTPS_PROXY` and `HTTP_PROXY`, except those to hosts of `NO_PROXY` and to this machine. Node
 * itself does so only with `NODE_USE_ENV_PROXY`.
 *
 * @returns what undoes it; null where there is no proxy, or this Node cannot be told about it any more
 */
export async function useProxyOf(env: Env): Promise<(() => void) | null> {
  const [httpsProxy, httpProxy] = ['HTTPS_PROXY', 'HTTP_PROXY'].map((name) => env[name.toLowerCase()] || env[name]);
  if (!httpsProxy && !httpProxy) return null;
  // from Node 22.21 and 24.14 on
  const { setGlobalProxyFromEnv: setProxy }: Partial<typeof http> = await import('node:http');
  const except = [env.no_proxy || env.NO_PROXY, ...LOCAL].filter(Boolean).join(',');
  return setProxy?.({ https_proxy: httpsProxy, http_proxy: httpProxy, no_proxy: except }) ?? null;
}
