/** A trigger, the address at which deliveries of another service run a flow, as people write it: docs/triggers.md. */
import { z } from 'zod';
import { freeObject, seenName } from './bounds.js';
import { headerName, hmacAlgorithm, hmacEncoding } from './hmac.js';
import { labelsShape } from './labels.js';
import type { Plain } from './plain.js';

/** Room for a key in Base64 and its prefix. The sender chooses it: some give short ones for tests. */
const SECRET = /^[\x20-\x7e]{4,500}$/;
const SECRET_SAYS = 'must have 4 to 500 characters of ASCII: letters, digits, signs and blanks';

/** Which fields belong to which type is checked when the body is read (`readVerifier`), and so is what holds without them. */
export const verifierShape = z.strictObject({
  type: z
    .enum(['none', 'basic', 'bearer', 'hmac', 'standard', 'github', 'stripe', 'slack', 'shopify'])
    .describe('Who is trusted: see the page on triggers.'),
  username: z.string().min(1).max(200).optional().describe('Of `basic`.'),
  password: z.string().min(8).max(500).optional().describe('Of `basic`; never shown again.'),
  token: z
    .string()
    .min(8)
    .max(500)
    .regex(/^[\x21-\x7e]+$/)
    .optional()
    .describe('Of `bearer`; never shown again.'),
  header: headerName.optional().describe('Of `hmac`: the header with the signature.'),
  algorithm: hmacAlgorithm.optional().describe('Of `hmac`; default: sha256.'),
  encoding: hmacEncoding.optional().describe('Of the signature, of `hmac`; default: hex.'),
  prefix: z.string().max(50).optional().describe('Before the signature, of `hmac`, for example `sha256=`.'),
  template: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('What is signed, of `hmac`: text with `{body}`, `{timestamp}` and `{id}`; default: `{body}`.'),
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

export const triggerShape = z.strictObject({
  name: seenName.meta({ description: 'For people.', examples: ['orders of the shop'] }),
  verifier: verifierShape.describe('How a delivery proves who sent it. A change replaces it; secrets left out stay.'),
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
    .array(z.string().regex(/^[\x21-\x7e]{1,100}$/))
    .max(50)
    .optional()
    .meta({
      description:
        'Headers and query parameters, in any case, whose values are replaced by `[secret]`, besides those whose names indicate credentials.',
      examples: [['x-customer-number']],
    }),
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
