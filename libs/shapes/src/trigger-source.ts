/** From where a trigger reads messages that nobody sends to Weft: docs/triggers.md. */
import { z } from 'zod';
import { freeObject } from './bounds.js';
import type { Plain } from './plain.js';

/** Triggers that read by themselves. A trigger of another type has an address at which deliveries arrive. */
export const SOURCE_TYPES = ['kafka', 'sqs', 'poll', 'rss', 'imap'] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];
export const TRIGGER_TYPES = ['hook', ...SOURCE_TYPES] as const;

const START = /^(?:latest|earliest|\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))$/;
const START_SAYS = 'must be latest, earliest, or a time like 2026-01-31T12:00:00Z';

/** Layers whose call a `poll` may make. */
const POLL_APPS = ['web-request', 'operation', 's3'] as const;
const expression = z.string().min(1).max(1_000);

/** Which fields belong to which type is checked when the body is read (`readSource`), and so is what holds without them. */
export const sourceShape = z.strictObject({
  integrationId: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe(
      'Of `kafka`: the id of the link whose endpoint names brokers; of `sqs` of one of the kind aws_sigv4; of `imap` of one whose endpoint is a mail server. Of `rss`: whose credentials are shown, if any.',
    ),
  topic: z
    .string()
    .max(249)
    .regex(/^[A-Za-z0-9._-]{1,249}$/, 'must be the name of a topic: up to 249 letters, digits, dots, _ and -')
    .optional()
    .describe('Of `kafka`: what is read.'),
  start: z
    .string()
    .max(40)
    .regex(START, START_SAYS)
    .refine((start) => !/^\d/.test(start) || !Number.isNaN(Date.parse(start)), START_SAYS)
    .optional()
    .describe(
      'Where reading begins, once: `latest` (the default) takes what comes from then on, `earliest` all that is there, a time what is as young.',
    ),
  queueUrl: z
    .string()
    .max(500)
    .regex(/^https?:\/\/[\w.-]+(?::\d{1,5})?\/[\w./-]+$/, 'must be the address of a queue')
    .optional()
    .meta({
      description: 'Of `sqs`: the address of the queue.',
      examples: ['https://sqs.eu-central-1.amazonaws.com/123456789012/orders'],
    }),
  everySeconds: z
    .int()
    .min(10)
    .max(86_400)
    .optional()
    .describe('Of `poll`, `rss` and `imap`: how long it waits after it found nothing new. Default: 300.'),
  request: z
    .strictObject({
      appId: z.enum(POLL_APPS).describe('The module that asks.'),
      args: freeObject.describe('Its arguments; expressions read `$prev.args.cursor`, which is null at first.'),
    })
    .optional()
    .describe('Of `poll`: the call that is made again and again.'),
  items: expression
    .optional()
    .meta({ description: 'Of `poll`: the list in the output of the call.', examples: ['{{ .out.json.orders }}'] }),
  id: expression
    .optional()
    .meta({ description: 'Of `poll`: what tells one item from all others.', examples: ['{{ $item.id }}'] }),
  cursor: expression.optional().meta({
    description: 'Of `poll`: what the next call reads as `$prev.args.cursor`; null leaves it as it is.',
    examples: ['{{ .out.json.next }}'],
  }),
  url: z
    .string()
    .max(2_000)
    .regex(/^https?:\/\/[\x21-\x7e]+$/i, 'must be an http:// or https:// address')
    .optional()
    .describe('Of `rss`: the address of the feed, RSS or Atom.'),
  folder: z
    .string()
    .min(1)
    .max(500)
    .regex(/^[^\x00-\x1f\x7f-\x9f]+$/, 'must be one line')
    .optional()
    .describe('Of `imap`: the folder that is read. Default: INBOX.'),
  user: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without blanks')
    .optional()
    .describe('Of `imap`: the user for whom the link has a token. A link of the kind basic has its own.'),
  onPoison: z
    .enum(['skip', 'stop'])
    .optional()
    .describe(
      'A message of which no run can be made: `skip` logs it with its bytes and goes on (the default), `stop` reads no further in its partition.',
    ),
});

export type SourceGiven = Plain<z.output<typeof sourceShape>>;
