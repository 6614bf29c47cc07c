import type { Connection } from '../layer-module.js';
import { LayerFailure } from '../layer-module.js';

/** Where a link leads, and how a session is opened there. */
export interface DatabasePlace {
  readonly host: string;
  readonly port: number;
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

const PORT = 5_432;
const DEFAULT_POOL = 3;

export function isDatabase(endpoint: string | null): boolean {
  return /^postgres(?:ql)?:/i.test(endpoint ?? '');
}

/** @throws LayerFailure `integration_unusable` */
export function placeOf({ endpoint, kind, secret, settings = {} }: Connection): DatabasePlace {
  const url = isDatabase(endpoint) ? URL.parse(endpoint ?? '') : null;
  if (!url || url.hostname === '') throw unusable('its endpoint is not an address like postgres://host:5432/database');
  if (kind !== 'basic') throw unusable('a database asks for a user and a password: its kind is not basic');
  const colon = secret.indexOf(':');
  const user = secret.slice(0, colon);
  const database = decoded(url.pathname.slice(1)) || user;
  const password = secret.slice(colon + 1);
  if ([database, user, password].some((text) => text.includes('\0'))) {
    throw unusable('its database, user or password has a character with the code 0');
  }
  return {
    ...{ host: url.hostname, port: Number(url.port) || PORT, database, user, password },
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
