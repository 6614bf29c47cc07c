import type { LinkKind, LinkSettings } from '@weft/shapes';
import { sealTokens, type IssuedTokens, type SecretBox } from '@weft/identity';
import { WeftError } from '@weft/kernel';
import { INTEGRATIONS, type IntegrationDocument } from '@weft/records';
import { readTime } from '../http/iso-time.js';
import type { UpdateIntegrationBody } from './integration.requests.js';

type SealedFields = Pick<
  IntegrationDocument,
  'AccessToken' | 'RefreshToken' | 'TokenExpiry' | 'Scopes' | 'RefreshAt' | 'RefreshError' | 'ClientSecret'
>;

/** Of a link without a token yet: it has ended, so nothing is sent with it. */
const ENDED = new Date(0);

/**
 * The secrets that a body gives for a link of this kind, sealed. A link that gets its tokens from an authorization server has none
 * yet: a worker asks when it needs one, or somebody has to consent first.
 *
 * @throws WeftError `invalid_body`
 */
export function sealLink(
  box: SecretBox,
  { companyId, id }: { readonly companyId: string; readonly id: string },
  kind: LinkKind,
  settings: LinkSettings,
  body: UpdateIntegrationBody,
  nowMs: number,
): SealedFields {
  const place = { companyId, collection: INTEGRATIONS, recordId: id };
  const { client_secret: secret } = body;
  const tokens = tokensOf(kind, body);
  if (kind === 'aws_sigv4' && settings.role_arn !== undefined) {
    const keys = box.seal({ ...place, field: 'ClientSecret' }, tokens.accessToken);
    const none = sealTokens(box, place, { ...tokens, accessToken: '', expiresAt: ENDED }, nowMs);
    return { ...none, Scopes: [], ClientSecret: keys, RefreshAt: new Date(nowMs) };
  }
  const fields = { ...sealTokens(box, place, tokens, nowMs), Scopes: tokens.scopes };
  const ClientSecret = secret === undefined ? null : box.seal({ ...place, field: 'ClientSecret' }, secret);
  if (kind === 'oauth2_client_credentials') return { ...fields, ClientSecret, RefreshAt: new Date(nowMs) };
  if (kind === 'oauth2') return { ...fields, ClientSecret, RefreshError: 'not_connected' };
  return { ...fields, ClientSecret };
}

function tokensOf(kind: LinkKind, body: UpdateIntegrationBody): IssuedTokens {
  const { access_token = '', username, password, scopes = [] } = body;
  const plain = { refreshToken: null, expiresAt: null, scopes };
  switch (kind) {
    case 'bearer':
      return {
        ...{ accessToken: access_token, refreshToken: body.refresh_token ?? null, scopes },
        expiresAt: expiryOf(body.token_expiry),
      };
    case 'basic':
      return { ...plain, accessToken: `${username ?? ''}:${password ?? ''}` };
    case 'headers':
    case 'aws_sigv4':
      // several are one text, as the two of basic are
      return { ...plain, accessToken: JSON.stringify(body.secrets ?? {}) };
    case 'oauth2':
    case 'oauth2_client_credentials':
      return { ...plain, accessToken: '', expiresAt: ENDED };
    default:
      return { ...plain, accessToken: access_token };
  }
}

function expiryOf(text: string | null | undefined): Date | null {
  if (text === undefined || text === null) return null;
  const time = readTime(text);
  if (time) return time;
  const message = 'token_expiry is no time that exists';
  throw new WeftError('invalid_body', `${message}.`, { errors: [{ path: 'token_expiry', code: 'invalid', message }] });
}
