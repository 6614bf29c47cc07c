/** The secrets of an integration link by their names. Those of some kinds are stored as one text. */
import { AWS_SECRETS, SECRET_IN_HEADER, type LinkKind } from '@weft/shapes';
import type { SigningKeys, SigningScope } from '@weft/egress';
import { parseStoredJson } from '@weft/kernel';
import { LayerFailure, type Connection } from '../layer-module.js';

export type NamedSecrets = Readonly<Record<string, string>>;
type Linked = Pick<Connection, 'kind' | 'secret'>;

/** Their names are the user's own, or several; all are stored together. */
const WITH_NAMES: ReadonlySet<LinkKind> = new Set(['headers', 'aws_sigv4']);

/** @throws LayerFailure `integration_unusable` */
export function secretsByName({ kind = 'bearer', secret }: Linked): NamedSecrets {
  if (kind === 'basic') {
    const colon = secret.indexOf(':');
    return { username: secret.slice(0, colon), password: secret.slice(colon + 1) };
  }
  return WITH_NAMES.has(kind) ? named(secret) : { access_token: secret };
}

/** What is removed from the answers of peers that repeat what they were sent, if it is long enough. */
export function secretsOf(link: Linked): string[] {
  const byName = secretsByName(link);
  if (link.kind !== 'basic') return Object.values(byName);
  const { username = '', password = '' } = byName;
  // services that have one key take it as the user name
  return [Buffer.from(link.secret).toString('base64'), link.secret, password === '' ? username : password];
}

/** The headers that a link of the kind `headers` shows. @throws LayerFailure `integration_unusable` */
export function headersOf(link: Connection): (readonly [name: string, value: string])[] {
  const secrets = secretsByName(link);
  return Object.entries(needed(link.settings?.headers)).map(([header, text]) => [
    header,
    text.replaceAll(SECRET_IN_HEADER, (_mark, name: string) => needed(own(secrets, name))),
  ]);
}

/** @throws LayerFailure `integration_unusable` */
export function signingOf(link: Connection): { readonly keys: SigningKeys; readonly scope: SigningScope } {
  const secrets = secretsByName(link);
  const [id, secret, token] = AWS_SECRETS.map((name) => own(secrets, name));
  const { region, service } = link.settings ?? {};
  return {
    keys: { accessKeyId: needed(id), secretAccessKey: needed(secret), sessionToken: token },
    scope: { region: needed(region), service: needed(service) },
  };
}

/** @throws LayerFailure `integration_unusable` */
export function needed<T>(setting: T | undefined): T {
  if (setting !== undefined) return setting;
  throw new LayerFailure('integration_unusable', 'The integration cannot be used: its settings are incomplete.');
}

function own(secrets: NamedSecrets, name: string): string | undefined {
  return Object.hasOwn(secrets, name) ? secrets[name] : undefined;
}

function named(text: string): NamedSecrets {
  try {
    return parseStoredJson(text) as NamedSecrets;
  } catch (cause) {
    throw new LayerFailure(
      'integration_unusable',
      'The integration cannot be used: enter its secrets again.',
      undefined,
      {
        cause,
      },
    );
  }
}
