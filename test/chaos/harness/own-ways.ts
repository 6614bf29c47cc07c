import type { LocalServer } from '@weft/testing';
import type { Shape } from './lane.js';
import { relay, type RelayOptions } from './relay.js';

/** The connection from one process to one server, through a network that a test controls. */
export interface Way {
  /** Sets properties from now on; properties that are not named have their defaults. */
  shape(shapes: { readonly toServer?: Shape; readonly toClient?: Shape }): void;
  /** Restores the defaults: waiting bytes arrive. */
  mend(): void;
  /** Breaks every connection without closing it cleanly. */
  cut(): void;
  /** The server has closed every connection, and the process is not notified. */
  abandon(): void;
}

/** Connections that only one process uses. */
export interface OwnWays {
  readonly mongodb: Way;
  readonly redis: Way;
  /** The settings that make the process use them. */
  readonly env: Readonly<Record<string, string>>;
}

/** @param rewrite of what MongoDB answers: see `RelayOptions` */
export async function ownWays(
  mongod: LocalServer,
  redis: LocalServer,
  rewrite?: RelayOptions['rewrite'],
): Promise<OwnWays> {
  const [toMongodb, toRedis] = await Promise.all([way(mongod.port, rewrite), way(redis.port)]);
  return {
    mongodb: toMongodb,
    redis: toRedis,
    // Direct: the set would name the address of its member, which goes past the relay.
    env: {
      MONGODB_URI: atPort(mongod.uri, toMongodb.port, (query) => {
        query.delete('replicaSet');
        query.set('directConnection', 'true');
      }),
      REDIS_URL: atPort(redis.uri, toRedis.port),
    },
  };
}

/** The same user and password at another port. */
function atPort(uri: string, port: number, change: (query: URLSearchParams) => void = () => undefined): string {
  const url = new URL(uri);
  url.port = String(port);
  change(url.searchParams);
  return url.href;
}

async function way(port: number, rewrite?: RelayOptions['rewrite']): Promise<Way & { readonly port: number }> {
  let shapes: { readonly toServer?: Shape; readonly toClient?: Shape } = {};
  const through = await relay({
    port,
    rewrite,
    toServer: () => shapes.toServer ?? {},
    toClient: () => shapes.toClient ?? {},
  });
  const shape = (next: typeof shapes): void => {
    shapes = next;
    through.changed();
  };
  return {
    port: through.port,
    shape,
    mend: () => shape({}),
    cut: () => void through.cut(),
    abandon: () => void through.abandon(),
  };
}
