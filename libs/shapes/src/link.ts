/** How integration links are used: docs/integrations.md, kinds of links. */
import { z } from 'zod';
import { headerName, hmacAlgorithm, hmacEncoding } from './hmac.js';
import type { Plain } from './plain.js';

/** How a request shows the credentials of a link. */
export const LINK_KINDS = [
  'bearer',
  'header',
  'basic',
  'query',
  'hmac',
  'headers',
  'aws_sigv4',
  'oauth2_client_credentials',
  'oauth2',
] as const;
export type LinkKind = (typeof LINK_KINDS)[number];

/** Of `aws_sigv4`; the last one belongs to keys that end. */
export const AWS_SECRETS = ['access_key_id', 'secret_access_key', 'session_token'] as const;
/** A secret in a text of `settings.headers`. */
export const SECRET_IN_HEADER = /\{\{\s*([a-z][a-z0-9_]*)\s*\}\}/g;

const printable = z.string().regex(/^[\x20-\x7e]*$/, 'must be printable ASCII');
const address = z
  .string()
  .min(1)
  .max(2_000)
  .regex(/^[\x21-\x7e]+$/, 'must be an address');

const scopePart = z
  .string()
  .min(1)
  .max(40)
  .regex(/^[A-Za-z0-9][A-Za-z0-9-]*$/, 'must be letters, digits and hyphens');

/** What a kind needs besides its secrets: everybody who may read the link sees it. The API checks which field belongs to which kind. */
export const linkSettingsShape = z.strictObject({
  header: headerName.optional().describe('Of `header`: its name. Of `hmac`: the header with the signature.'),
  prefix: printable.max(100).optional().describe('Before the secret or the signature; with `{timestamp}` for `hmac`.'),
  parameter: printable.min(1).max(100).optional().describe('Of `query`: the name in the address.'),
  algorithm: hmacAlgorithm.optional().describe('Of `hmac`; default: sha256.'),
  encoding: hmacEncoding.optional().describe('Of the signature of `hmac`; default: hex.'),
  template: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe(
      'Of `hmac`: what is signed, with `{body}`, `{timestamp}`, `{method}`, `{path}`, `{host}`, `{id}`; default: `{body}`.',
    ),
  timestamp_header: headerName.optional().describe('Of `hmac`: a header that is sent with the Unix seconds.'),
  token_url: address.optional().describe('Of `oauth2` and `oauth2_client_credentials`: where tokens are.'),
  authorize_url: address.optional().describe('Of `oauth2`: where somebody consents.'),
  client_id: printable.min(1).max(500).optional().describe('Of the client at the authorization server.'),
  client_auth: z.enum(['basic', 'post']).optional().describe('How the client shows its secret; default: basic.'),
  audience: printable
    .min(1)
    .max(500)
    .optional()
    .describe('Sent with requests for tokens, where the server asks for it.'),
  resource: address
    .optional()
    .describe(
      'Sent with requests for tokens (RFC 8707): the address that they are for, such as that of an MCP server.',
    ),
  issuer: address
    .optional()
    .describe(
      'Of `oauth2`: the issuer that the answer of the authorization server must name, if it names one (RFC 9207).',
    ),
  issuer_promised: z
    .boolean()
    .optional()
    .describe(
      'Of `oauth2`: the authorization server has promised to name `issuer` in each of its answers (RFC 9207): one that names none is refused, too; default: false.',
    ),
  headers: z.record(z.string(), z.string().max(1_000)).optional().meta({
    description:
      'Of `headers`: the texts of up to 20 headers, in which `{{name}}` is the secret of this name: `{ "X-Api-Key": "{{api_key}}" }`.',
    maxProperties: 20,
  }),
  region: scopePart.optional().describe('Of `aws_sigv4`: the region that is signed for, such as eu-central-1 or auto.'),
  service: scopePart
    .optional()
    .describe('Of `aws_sigv4`: the service that is signed for, such as s3, sqs or execute-api.'),
  sign_payload: z
    .enum(['signed', 'unsigned'])
    .optional()
    .describe(
      'Of `aws_sigv4`: whether the signature covers the body; default: signed. `unsigned` holds for s3 over https alone.',
    ),
  path_style: z
    .boolean()
    .optional()
    .describe(
      'Of `aws_sigv4`: the bucket is in the path of an address, not in its host; default: true where the link has an endpoint.',
    ),
  role_arn: z
    .string()
    .min(20)
    .max(600)
    .regex(/^arn:[a-z0-9-]+:iam::\d{12}:role\/[\w+=,.@/-]+$/, 'must be like arn:aws:iam::123456789012:role/weft')
    .optional()
    .describe(
      'Of `aws_sigv4`: a role whose keys are used; those of the link fetch them. Its trust policy demands the external id `weft-<company id>`.',
    ),
  tls: z
    .enum(['verify', 'require', 'off'])
    .optional()
    .describe(
      'Of a database, and of Kafka: verify checks the certificate and its name (the default), require encrypts, off is for addresses that the operator opened.',
    ),
  ca: z
    .string()
    .min(1)
    .max(65_536)
    .regex(/^-----BEGIN CERTIFICATE-----[\sA-Za-z0-9+/=-]+-----END CERTIFICATE-----\s*$/, 'must be certificates in PEM')
    .optional()
    .describe('Of a database, and of Kafka: the certificate (PEM) of the authority that signed the one of the server.'),
  sasl: z
    .enum(['plain', 'scram-sha-256', 'scram-sha-512', 'none'])
    .optional()
    .describe('Of Kafka: how user and password are shown; default: plain. `none`: they are not.'),
  read_only: z.boolean().optional().describe('Of a database: whether layers can only read; default: false.'),
  schema: printable.min(1).max(63).optional().describe('Of a database: where names without a schema are looked up.'),
  pool: z.int().min(1).max(5).optional().describe('Of a database: connections at once of each worker; default: 3.'),
});

/** A request that changes nothing, by which a link is tested. */
export const linkTestShape = z.strictObject({
  method: z.enum(['GET', 'HEAD', 'POST', 'OPTIONS']).describe('Of a request that changes nothing.'),
  path: z
    .string()
    .min(1)
    .max(1_000)
    .regex(/^\/[\x21\x22\x24-\x7e]*$/, 'must begin with / and have no spaces and no #')
    .meta({ description: 'After the endpoint.', examples: ['/me'] }),
});

/** At most `limit` calls in each period. */
export const rateLimitShape = z.strictObject({
  limit: z
    .int()
    .min(1)
    .max(1_000_000)
    .meta({ description: 'Calls in each period.', examples: [50] }),
  per: z.enum(['second', 'minute', 'hour']).meta({ description: 'The period.', examples: ['second'] }),
});

export type LinkSettings = Plain<z.output<typeof linkSettingsShape>>;
export type LinkTest = Plain<z.output<typeof linkTestShape>>;
export type RateLimit = Plain<z.output<typeof rateLimitShape>>;
