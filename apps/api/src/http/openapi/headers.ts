import type { Schema } from '../schema.js';

interface Header {
  readonly description: string;
  /** Whether every such answer has it. */
  readonly required?: boolean;
  readonly schema: Schema;
}

const text: Schema = { type: 'string' };

/** Every response header that programs can go by. */
export const HEADERS = {
  'X-Request-Id': {
    description: 'The id of the request, in logs, plays and the audit log: the one that was sent, where it is fit.',
    required: true,
    schema: text,
  },
  ETag: {
    description:
      'For `If-Match`: the version of the flow or entry, `"7"`; of a document also the state of its test cases, `"7-…"`.',
    required: true,
    schema: text,
  },
  Location: { description: 'Where what was made can be read.', required: true, schema: text },
  'Set-Cookie': { description: 'The cookie `sid`, set or cleared.', schema: text },
  'Retry-After': {
    description: 'Whole seconds until it is worth trying again.',
    schema: { type: 'integer', minimum: 0 },
  },
  'WWW-Authenticate': { description: 'That API keys are sent as bearer tokens.', schema: text },
  'Content-Disposition': { description: 'A file to save.', required: true, schema: text },
  'Idempotency-Replayed': {
    description: 'There when another play holds the idempotency key: the answer is about that one.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Idempotency-Retried': {
    description: 'There when the play that held the idempotency key failed: its id. The answer is about its retry.',
    schema: text,
  },
  'Idempotency-Mismatch': {
    description: 'There when the play that holds the idempotency key was given other args.',
    schema: { type: 'string', enum: ['true'] },
  },
} as const satisfies Readonly<Record<string, Header>>;

export type HeaderName = keyof typeof HEADERS;

/** References to the document's headers, for one answer. */
export function headers(...names: readonly HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
