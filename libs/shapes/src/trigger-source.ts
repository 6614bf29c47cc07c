/** From where a trigger reads messages that nobody sends to Weft: docs/triggers.md. */
import { z } from 'zod';
import type { Plain } from './plain.js';

/** Triggers that read by themselves. A trigger of another type has an address at which deliveries arrive. */
export const SOURCE_TYPES = ['kafka'] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];
export const TRIGGER_TYPES = ['hook', ...SOURCE_TYPES] as const;

const START = /^(?:latest|earliest|\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))$/;
const START_SAYS = 'must be latest, earliest, or a time like 2026-01-31T12:00:00Z';

/** Which fields belong to which type is checked when the body is read (`readSource`), and so is what holds without them. */
export const sourceShape = z.strictObject({
  integrationId: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('Of `kafka`: the id of the link whose endpoint names brokers.'),
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
  onPoison: z
    .enum(['skip', 'stop'])
    .optional()
    .describe(
      'A message of which no run can be made: `skip` logs it with its bytes and goes on (the default), `stop` reads no further in its partition.',
    ),
});

export type SourceGiven = Plain<z.output<typeof sourceShape>>;
