import type { RedisOptions } from 'ioredis';
import { readFileSync } from 'node:fs';

/**
 * `redis+sentinel://user:password@one:26379,two:26379/mymaster?db=1` or `redis+cluster://user:password@one:6379,two:6379`; with
 * rediss also TLS, to the Sentinels too.
 */
const SEVERAL = /^(?<scheme>rediss?)\+(?<kind>sentinel|cluster):\/\/(?:(?<user>[^:@/]*)(?::(?<password>[^@/]*))?@)?(?<hosts>[^/?]+)(?:\/(?<name>[^/?]*))?(?:\?(?<query>\S*))?$/; // prettier-ignore
const SENTINEL_PORT = 26_379;
const PORT = 6_379;

export interface Host {
  readonly host: string;
  readonly port: number;
}

export interface RedisAddress {
  /** Of one server; null: `options` or `nodes` tell where it is. */
  readonly url: string | null;
  /** Some servers of a cluster, which know the others. */
  readonly nodes?: readonly Host[];
  readonly options: RedisOptions;
}

/** One Redis, whose address is known or which Sentinels know, or a cluster. Of the files that it names, those of TLS are read here. */
export function redisAddress(url: string): RedisAddress {
  const groups = SEVERAL.exec(url)?.groups;
  if (!groups) {
    const tls = certificatesOf(new URL(url).searchParams);
    return { url, options: tls ? { tls } : {} };
  }
  const { scheme, kind, user, password, hosts = '', name = '', query } = groups;
  const named = new URLSearchParams(query);
  const tls = scheme === 'rediss' ? (certificatesOf(named) ?? {}) : undefined;
  const access = { username: decoded(user), password: decoded(password), ...(tls && { tls }) };
  const all = hosts.split(',');
  if (kind === 'cluster') return { url: null, nodes: all.map((host) => toHost(host, PORT)), options: access };
  const options = {
    sentinels: all.map((host) => toHost(host, SENTINEL_PORT)),
    name: decodeURIComponent(name),
    ...access,
    db: Number(named.get('db') ?? 0),
    sentinelUsername: named.get('sentinelUsername') ?? undefined,
    sentinelPassword: named.get('sentinelPassword') ?? undefined,
    ...(tls && { sentinelTLS: tls, enableTLSForSentinelMode: true }),
  };
  return { url: null, options };
}

function toHost(text: string, otherwise: number): Host {
  const { hostname, port } = new URL(`redis://${text}`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? otherwise : Number(port) };
}

function decoded(text: string | undefined): string | undefined {
  return text ? decodeURIComponent(text) : undefined;
}

function certificatesOf(named: URLSearchParams): { ca?: Buffer; cert?: Buffer; key?: Buffer } | undefined {
  const [authorities, own] = ['tlsCAFile', 'tlsCertificateKeyFile'].map((name) => {
    const path = named.get(name);
    return path === null ? undefined : readFileSync(path);
  });
  return authorities || own ? { ca: authorities, cert: own, key: own } : undefined;
}
