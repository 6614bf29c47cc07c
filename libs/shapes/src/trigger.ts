/** A trigger, the address at which deliveries of another service run a flow, as people write it: docs/triggers.md. */
import { z } from 'zod';
import { DAY_MS, freeObject, seenName } from './bounds.js';
import { headerName, hmacAlgorithm, hmacEncoding } from './hmac.js';
import { labelsShape } from './labels.js';
import type { Plain } from './plain.js';
import { sourceShape, TRIGGER_TYPES } from './trigger-source.js';

/** Room for a key in Base64 and its prefix. The sender chooses it: some give short ones for tests. */
const SECRET = /^[\x20-\x7e]{4,500}$/;
const SECRET_SAYS = 'must have 4 to 500 characters of ASCII: letters, digits, signs and blanks';

/** Which fields belong to which type is checked when the body is read (`readVerifier`), and so is what holds without them. */
export const verifierShape = z.strictObject({
  type: z
    .enum([
      ...(['none', 'basic', 'bearer', 'token', 'hmac', 'standard', 'svix', 'github', 'gitlab', 'stripe'] as const),
      ...(['slack', 'shopify', 'meta', 'dropbox', 'msgraph', 'monday', 'twilio', 'calendly', 'paddle'] as const),
    ])
    .describe('Who is trusted: see the page on triggers.'),
  username: z.string().min(1).max(200).optional().describe('Of `basic`.'),
  password: z.string().min(8).max(500).optional().describe('Of `basic`; never shown again.'),
  token: z
    .string()
    .min(8)
    .max(500)
    .regex(/^[\x21-\x7e]+$/, 'must have letters, digits and signs of ASCII, and no blanks')
    .optional()
    .describe(
      'Of `bearer`, `token` and `gitlab`; of `meta` the verify token, of `msgraph` the `clientState`. Never shown again.',
    ),
  header: headerName.optional().describe('Of `hmac`: the header with the signature. Of `token`: with the token.'),
  algorithm: hmacAlgorithm.optional().describe('Of `hmac`; default: sha256.'),
  encoding: hmacEncoding.optional().describe('Of the signature, of `hmac`; default: hex.'),
  prefix: z.string().max(50).optional().describe('Before the signature, of `hmac`, for example `sha256=`.'),
  template: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('What is signed, of `hmac`: text with `{body}`, `{timestamp}`, `{id}` and `{url}`; default: `{body}`.'),
  separator: z
    .enum([' ', ',', ';'])
    .optional()
    .describe('Of `hmac`: between the parts of the header, where it has several; default: a blank.'),
  timestamp_prefix: z
    .string()
    .min(1)
    .max(20)
    .nullable()
    .optional()
    .describe('Of `hmac`: before Unix seconds in a part of the same header, for example `t=`.'),
  id_header: headerName.nullable().optional().describe('Of `hmac`: the header with the id.'),
  timestamp_header: headerName.nullable().optional().describe('Of `hmac`: the header with Unix seconds.'),
  tolerance_seconds: z.int().min(1).max(86_400).optional().describe('Of `hmac`: age of the timestamp; default: 300.'),
  secrets: z
    .array(z.string().regex(SECRET, SECRET_SAYS))
    .max(5)
    .optional()
    .describe('Up to five, of which one is enough, so that they can be rotated; never shown again.'),
});

/** One of the two. */
const dedupe = z.strictObject({
  header: headerName.optional().describe('The header with the id of the delivery.'),
  expression: z.string().min(1).max(1_000).optional().describe('An expression for it.'),
});

const MB = 1024 * 1024;
const MOST_HOOK_BYTES = 25 * MB;
export const HOOK_BYTES = MB;
const HOOK_METHODS = ['GET', 'HEAD', 'POST', 'PUT'] as const;
export type HookMethod = (typeof HOOK_METHODS)[number];

/** The check of an address that a sender makes. */
const challengeShape = z.strictObject({
  in: z.enum(['query', 'body']).describe('Where the value is that is given back.'),
  field: z.string().min(1).max(200).describe('Its name.'),
  as: z.enum(['text', 'json']).default('text').describe('`text`: the value alone. `json`: an object with the field.'),
  when: z
    .string()
    .min(1)
    .max(16_384)
    .nullable()
    .optional()
    .describe(
      'A condition over `$hook`, for example that a verify token is right. Query parameters are not hidden in it.',
    ),
});

/** What the sender is answered with. */
const respondShape = z.strictObject({
  status: z
    .union(
      [z.int().min(200).max(599), z.string().min(1).max(1_000)],
      'must be a status from 200 to 599, or an expression',
    )
    .nullable()
    .optional()
    .describe('Default: 200.'),
  content_type: z.string().min(1).max(200).optional().describe('Default: JSON for an object, else text/plain.'),
  headers: z.record(z.string(), z.string().max(2_000)).optional().describe('Up to 20.').meta({ maxProperties: 20 }),
  body: z
    .union([z.string().max(65_536), freeObject], 'must be a text or an object')
    .nullable()
    .optional()
    .describe('A text, or an object that is sent as JSON; with expressions. Default: no body.'),
});

/** What a delivery does instead of a run. */
const actionShape = z.strictObject({
  type: z.enum(['event']).describe('It is sent as an event to plays that wait.'),
  name: z.string().min(1).max(200).describe('Of the event; with expressions over `$hook`.'),
  key: z.string().min(1).max(1_000).nullable().optional().describe('Of the event; with expressions. Null: none.'),
  ttlMs: z
    .int()
    .min(1_000)
    .max(7 * DAY_MS)
    .optional()
    .describe('For how long it is kept for a play that begins to wait. Default: a day.'),
});

export const triggerShape = z.strictObject({
  name: seenName.meta({ description: 'For people.', examples: ['orders of the shop'] }),
  type: z
    .enum(TRIGGER_TYPES)
    .optional()
    .describe('`hook` (the default) has an address for deliveries; the others read messages. It never changes.'),
  source: sourceShape.nullable().optional().describe('What a trigger that reads messages reads.'),
  verifier: verifierShape.optional().meta({
    description: 'How a delivery proves who sent it; a hook needs one. A change replaces it; secrets left out stay.',
    examples: [{ type: 'bearer', token: 'a-secret-of-the-sender' }],
  }),
  dedupe: dedupe
    .nullable()
    .default(null)
    .describe('Where the id of a delivery is. Default: where the sender’s type has it.'),
  when: z
    .string()
    .min(1)
    .max(16_384)
    .nullable()
    .default(null)
    .describe('A condition over `$hook`: deliveries for which it is false run nothing.'),
  args: freeObject
    .nullable()
    .default(null)
    .describe('Args of the run, with expressions over `$hook`. Default: `{ body, headers, query }`.'),
  secret_names: z
    .array(z.string().regex(/^[\x21-\x7e]{1,100}$/, 'must be the name of a header or parameter, without blanks'))
    .max(50)
    .optional()
    .meta({
      description:
        'Headers and query parameters, in any case, whose values are replaced by `[secret]`, besides those whose names indicate credentials.',
      examples: [['x-customer-number']],
    }),
  methods: z
    .array(z.enum(HOOK_METHODS))
    .min(1)
    .max(4)
    .optional()
    .describe('Which methods deliver. Default: POST. HEAD is answered and runs nothing.'),
  challenge: challengeShape
    .nullable()
    .optional()
    .describe('How a sender checks the address, where its type does not say it.'),
  respond: respondShape
    .nullable()
    .optional()
    .describe(
      'The answer to the sender: over `$hook`, and with `wait` over `.out`, `.error` and `.state` of the play.',
    ),
  action: actionShape.nullable().optional().describe('Default: a run of the flow.'),
  max_bytes: z
    .int()
    .min(1)
    .max(MOST_HOOK_BYTES)
    .optional()
    .describe('The largest body. Default: 1 MB; a larger one than 1 MB reads as a file.'),
  labels: labelsShape.optional().describe('Of its plays.'),
  wait: z
    .int()
    .min(0)
    .max(30_000)
    .default(0)
    .describe('Milliseconds for which the answer is held for the outcome. Default: 0.'),
  enabled: z.boolean().default(true).describe('False: deliveries are answered with 404. Default: true.'),
});

/** What users say of how deliveries are verified. */
export type Verifier = Plain<z.output<typeof verifierShape>>;
/** What users say of a trigger; secret names and labels are left out when it has none. */
export type TriggerGiven = Plain<z.output<typeof triggerShape>>;
