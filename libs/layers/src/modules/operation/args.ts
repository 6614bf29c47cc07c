import { z } from 'zod';
import { webRequestArgs, webRequestOut, type WebRequestArgs } from '../web-request/args.js';
import type { Face } from '../../face.js';

const MAX_SERVERS = 20;
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/;
const DIGEST = /^[A-Za-z0-9_-]{22}$/;

export const operationArgs = z.strictObject({
  api: z
    .string()
    .min(1)
    .max(100)
    .regex(NAME, 'expected the id or the key of an API')
    .describe('Key or id of an imported API.'),
  operation: z
    .string()
    .min(1)
    .max(128)
    .regex(NAME, 'expected the name of an operation')
    .describe('Name of one of its operations.'),
  digest: z
    .string()
    .regex(DIGEST, 'expected the digest of a state of the operation')
    .optional()
    .describe(
      'Which state of the operation runs, whatever its document says later. Filled in when the layer is saved.',
    ),
  input: z
    .record(z.string(), z.unknown())
    .default({})
    .describe(
      'What the operation takes, by place: path, query, headers, cookies, body, and contentType where there are several. See its face.',
    ),
  server: z
    .int()
    .min(0)
    .max(MAX_SERVERS - 1)
    .default(0)
    .describe('Which of the servers of its document is called, from 0.'),
  auth: webRequestArgs.shape.auth.describe(
    'The integration link whose credentials are sent. Its endpoint must be at the origin of the server.',
  ),
  failOn: webRequestArgs.shape.failOn,
  onUnexpected: z
    .enum(['warn', 'fail'])
    .default('warn')
    .describe('What an answer is that does not fit its schema: noted in unexpected, or a failure (invalid_output).'),
  paginate: webRequestArgs.shape.paginate,
});

/** With the request that their face makes of them. */
export type OperationArgs = z.output<typeof operationArgs> & {
  readonly bound?: { readonly face: Face; readonly request: WebRequestArgs };
};

const { statusCode, headers, cookies, durationMs, pages, count } = webRequestOut.shape;

export const operationOut = z.strictObject({
  statusCode,
  headers,
  cookies,
  durationMs,
  body: z
    .unknown()
    .optional()
    .describe(
      'The value where it is JSON, null where it is empty, else a text, or a file as { $ref, … }. Its schema is in the face.',
    ),
  bodyEncoding: webRequestOut.shape.bodyEncoding,
  unexpected: z
    .array(z.strictObject({ path: z.string(), message: z.string() }))
    .optional()
    .describe('There when the body does not fit its schema: the first faults.'),
  pages,
  count,
});
