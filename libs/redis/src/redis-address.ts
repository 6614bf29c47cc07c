import type { RedisOptions } from 'ioredis';
import { readFileSync } from 'node:fs';

/** `redis+sentinel://user:password@one:26379,two:26379/mymaster?db=1`; rediss+sentinel: with TLS to the Sentinels and to Redis. */
const SENTINEL = /^(?<scheme>rediss?)\+sentinel:\/\/(?:(?<user>[^:@/]*)(?::(?<password>[^@/]*))?@)?(?<hosts>[^/?]+)\/(?<name>[^/?]+)(?:\?(?<query>\S*))?$/; // prettier-ignore
const SENTINEL_PORT = 26_379;

/** One Redis, whose address is known or which Sentinels know. Of the files that it names, those of TLS are read here. */
export function redisAddress(url: string): { readonly url: string | null; readonly options: RedisOptions } {
  const groups = SENTINEL.exec(url)?.groups;
  if (!groups) {
    const tls = certificatesOf(new URL(url).searchParams);
    return { url, options: tls ? { tls } : {} };
  }
  const { scheme, user, password, hosts = '', name = '', query } = groups;
  const named = new URLSearchParams(query);
  const tls = scheme === 'rediss' ? (certificatesOf(named) ?? {}) : undefined;
  const options = {
    sentinels: hosts.split(',').map(toHost),
    name: decodeURIComponent(name),
    username: decoded(user),
    password: decoded(password),
    db: Number(named.get('db') ?? 0),
    sentinelUsername: named.get('sentinelUsername') ?? undefined,
    sentinelPassword: named.get('sentinelPassword') ?? undefined,
    ...(tls && { tls, sentinelTLS: tls, enableTLSForSentinelMode: true }),
  };
  return { url: null, options };
}

function toHost(text: string): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(`redis://${text}`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? SENTINEL_PORT : Number(port) };
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
