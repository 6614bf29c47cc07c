import type { Connection } from '../layer-module.js';
import { LayerFailure } from '../layer-module.js';

/** Kinds of databases: the protocol that they speak. */
export type Engine = 'postgres' | 'mysql';

/** Where a link leads, and how a session is opened there. */
export interface DatabasePlace {
  readonly engine: Engine;
  readonly host: string;
  readonly port: number;
  /** Empty: none, where the engine can do without. */
  readonly database: string;
  readonly user: string;
  readonly password: string;
  readonly tls: 'require' | 'verify' | 'off';
  /** PEM. */
  readonly ca: string | null;
  readonly isReadOnly: boolean;
  readonly schema: string | null;
  /** Sessions at once in each worker. */
  readonly pool: number;
}

const ENGINES: readonly { readonly engine: Engine; readonly scheme: RegExp; readonly port: number }[] = [
  { engine: 'postgres', scheme: /^postgres(?:ql)?:/i, port: 5_432 },
  { engine: 'mysql', scheme: /^(?:mysql|mariadb):/i, port: 3_306 },
];
const DEFAULT_POOL = 3;

const engineAt = (endpoint: string | null) => ENGINES.find(({ scheme }) => scheme.test(endpoint ?? ''));

export function isDatabase(endpoint: string | null): boolean {
  return engineAt(endpoint) !== undefined;
}

/** @throws LayerFailure `integration_unusable` */
export function placeOf({ endpoint, kind, secret, settings = {} }: Connection): DatabasePlace {
  const found = engineAt(endpoint);
  const url = found ? URL.parse(endpoint ?? '') : null;
  if (!found || !url || url.hostname === '') {
    throw unusable('its endpoint is not an address like postgres://host:5432/database or mysql://host:3306/database');
  }
  if (kind !== 'basic') throw unusable('a database asks for a user and a password: its kind is not basic');
  const { engine } = found;
  const colon = secret.indexOf(':');
  const user = secret.slice(0, colon);
  const database = decoded(url.pathname.slice(1)) || (engine === 'postgres' ? user : '');
  const password = secret.slice(colon + 1);
  if ([database, user, password].some((text) => text.includes('\0'))) {
    throw unusable('its database, user or password has a character with the code 0');
  }
  return {
    ...{ engine, host: url.hostname, port: Number(url.port) || found.port, database, user, password },
    ...{ tls: settings.tls ?? 'verify', ca: settings.ca ?? null, isReadOnly: settings.read_only ?? false },
    ...{ schema: settings.schema ?? null, pool: settings.pool ?? DEFAULT_POOL },
  };
}

/** `host:port`, as rate limits and the health of destinations name it. */
export function destinationOfPlace({ host, port }: DatabasePlace): string {
  return `${host.toLowerCase()}:${port}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw unusable('the name of the database in its endpoint is not written as in an address');
  }
}

function unusable(why: string): LayerFailure {
  return new LayerFailure('integration_unusable', `The integration cannot be used: ${why}.`);
}

/** @throws LayerFailure `connect_failed` */
export function offersNoTls({ host, tls }: DatabasePlace): LayerFailure {
  return new LayerFailure('connect_failed', `${host} offers no TLS, and the tls of its integration is "${tls}"`);
}
