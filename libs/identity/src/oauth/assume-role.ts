/** Asks STS for keys that end, in exchange for those of a link that names a role. */
import { amazonAddress, EgressError, sha256Of, withSignature, type EgressClient } from '@weft/egress';
import type { LinkSettings } from '@weft/shapes';
import { parseStoredJson } from '@weft/kernel';
import { OidcFailure, type IssuedTokens } from './identity-provider.js';

const TIMEOUT_MS = 8_000;
const MAX_RESPONSE_BYTES = 65_536;
/** The longest time that every role allows. */
const LIFE_SECONDS = 3_600;
const CODE = /<Code>(\w{1,100})<\/Code>/;

/** A link that signs as a role. */
export interface RoleLink {
  readonly id: string;
  readonly companyId: string;
  readonly endpoint: string | null;
  readonly settings: LinkSettings;
  /** Its own keys, by name, as JSON. */
  readonly keys: string;
}

/** What the trust policy of a role demands, so that no other company can name the same role. */
export function externalIdOf(companyId: string): string {
  return `weft-${companyId}`;
}

/** The keys of the role, by name, as JSON. @throws OidcFailure `invalid_response`, `provider_unavailable` */
export async function assumeRole(
  http: Pick<EgressClient, 'request'>,
  { id, companyId, endpoint, settings, keys }: RoleLink,
): Promise<IssuedTokens> {
  const { region = '', role_arn = '' } = settings;
  const address = /^https?:/i.test(endpoint ?? '') ? endpoint : amazonAddress('sts', region);
  if (address === null)
    throw new OidcFailure('invalid_response', 'its region is not one of Amazon, and it has no endpoint');
  const body = new URLSearchParams({
    ...{ Action: 'AssumeRole', Version: '2011-06-15', RoleArn: role_arn, RoleSessionName: `weft-${id}` },
    ...{ ExternalId: externalIdOf(companyId), DurationSeconds: String(LIFE_SECONDS) },
  }).toString();
  const {
    access_key_id = '',
    secret_access_key = '',
    session_token,
  } = parseStoredJson(keys) as Partial<Record<string, string>>;
  const type = 'application/x-www-form-urlencoded; charset=utf-8';
  const request = { method: 'POST', url: `${address.replace(/\/+$/, '')}/` };
  const signed = withSignature(
    { ...request, headers: new Map([['content-type', ['Content-Type', type] as const]]) },
    { accessKeyId: access_key_id, secretAccessKey: secret_access_key, sessionToken: session_token },
    { region, service: 'sts' },
    { payloadHash: sha256Of(body), nowMs: Date.now() },
  );
  try {
    const answer = await http.request({
      ...{ method: 'POST', url: signed.url, body, headers: Object.fromEntries(signed.headers.values()) },
      ...{ timeoutMs: TIMEOUT_MS, maxRedirects: 0, maxResponseBytes: MAX_RESPONSE_BYTES },
    });
    return keysIn(answer.statusCode, answer.body.toString('utf8'));
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    throw new OidcFailure('provider_unavailable', error.message, { cause: error });
  }
}

function keysIn(statusCode: number, xml: string): IssuedTokens {
  const [id, key, token, end] = ['AccessKeyId', 'SecretAccessKey', 'SessionToken', 'Expiration'].map((name) => {
    const [, text] = new RegExp(`<${name}>\\s*([\\x21-\\x3b\\x3d-\\x7e]{1,8192})\\s*</${name}>`).exec(xml) ?? [];
    return text;
  });
  const expiresAt = new Date(end ?? Number.NaN);
  if (statusCode !== 200 || !id || !key || !token || Number.isNaN(expiresAt.getTime())) {
    const code = CODE.exec(xml)?.[1];
    const isDown = statusCode >= 500 || statusCode === 429;
    const what = `STS answered ${statusCode}${code === undefined ? '' : ` (${code})`}`;
    throw new OidcFailure(isDown ? 'provider_unavailable' : 'invalid_response', what);
  }
  const keys = { access_key_id: id, secret_access_key: key, session_token: token };
  return { accessToken: JSON.stringify(keys), refreshToken: null, expiresAt, scopes: [] };
}
