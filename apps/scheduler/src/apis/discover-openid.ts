import type { EgressClient } from '@weft/egress';
import { parseJson } from '@weft/kernel';
import type { ApiFacts } from '@weft/openapi';

/** Of one document. */
const MOST_SCHEMES = 3;
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 256 * 1024;

type Schemes = ApiFacts['schemes'];
type Scheme = Schemes[string];

/** What was found, and what could not be read. */
export interface Discovered {
  readonly schemes: Schemes;
  readonly warnings: readonly { readonly path: string; readonly reason: string }[];
}

/**
 * The schemes, those of OpenID Connect with the `flows` that their servers have: OpenID Connect Discovery 1.0, section 4. It is read
 * without credentials, and only shown to whoever makes a link; a server that cannot be read is a warning.
 */
export async function withDiscovered(
  http: Pick<EgressClient, 'request'>,
  schemes: Schemes,
  signal: AbortSignal,
): Promise<Discovered> {
  const found = new Map<string, Scheme>();
  const warnings: { path: string; reason: string }[] = [];
  const asked = Object.entries(schemes).filter(
    ([, { type, openIdConnectUrl }]) => type === 'openIdConnect' && openIdConnectUrl,
  );
  for (const [name, scheme] of asked.slice(0, MOST_SCHEMES)) {
    try {
      const flows = await flowsAt(http, String(scheme.openIdConnectUrl), signal);
      found.set(name, { ...scheme, flows });
    } catch (error) {
      signal.throwIfAborted();
      const why = error instanceof Error ? error.message.slice(0, 300) : 'it cannot be read';
      const path = `#/components/securitySchemes/${name.slice(0, 100)}`;
      warnings.push({ path, reason: `has an OpenID Connect server that cannot be asked for its addresses: ${why}` });
    }
  }
  return {
    schemes: Object.fromEntries(Object.entries(schemes).map(([name, each]) => [name, found.get(name) ?? each])),
    warnings,
  };
}

async function flowsAt(http: Pick<EgressClient, 'request'>, url: string, signal: AbortSignal): Promise<Scheme> {
  const answer = await http.request({
    ...{ method: 'GET', url, headers: { accept: 'application/json' } },
    ...{ timeoutMs: TIMEOUT_MS, maxRedirects: 3, maxResponseBytes: MAX_BYTES, signal },
  });
  if (answer.statusCode !== 200) throw new Error(`it answered ${answer.statusCode}, not 200`);
  const document = parseJson(Buffer.from(answer.body).toString()) as Readonly<Record<string, unknown>> | null;
  const address = (name: string): string | null => {
    const value = document?.[name];
    return typeof value === 'string' && value.length <= 2_000 ? value : null;
  };
  const [authorizationUrl, tokenUrl] = [address('authorization_endpoint'), address('token_endpoint')];
  if (authorizationUrl === null || tokenUrl === null) throw new Error('it names no endpoints');
  const grants = document?.grant_types_supported;
  const isForClients = Array.isArray(grants) && grants.includes('client_credentials');
  return {
    authorizationCode: { authorizationUrl, tokenUrl, scopes: {} },
    ...(isForClients && { clientCredentials: { tokenUrl, scopes: {} } }),
  };
}
