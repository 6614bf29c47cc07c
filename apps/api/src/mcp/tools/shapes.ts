import { PLAY_STATES } from '@weft/contracts';
import { z } from 'zod';

export const flowId = z.string().min(1).max(64).describe('Id of the flow: list_flows has them.');
export const playId = z.string().min(1).max(64).describe('Id of the play.');
export const free = z.record(z.string(), z.unknown());
export const playState = z.enum(PLAY_STATES);

/** An answer of the API with these fields, and whatever else it has. */
export const answer = <S extends z.ZodRawShape>(fields: S) => z.looseObject(fields);
export const listAnswer = answer({ items: z.array(z.looseObject({})), nextCursor: z.string().nullable() });

export const cursor = z.string().max(1_000).optional().describe('`nextCursor` of the page before.');
export const size = z.int().min(1).max(100).optional().describe('Items of a page; 20 when left out.');
export const DEFAULT_SIZE = 20;

const retry = z.strictObject({
  attempts: z.int().min(1).max(20).describe('Calls in all, the first one included.'),
  backoff: z.enum(['fixed', 'exponential']).optional(),
  delayMs: z.int().min(0).optional(),
  maxDelayMs: z.int().min(0).optional(),
  on: z.array(z.string()).max(50).optional().describe('After which failures: "429", "5xx", "timeout", "connect".'),
});

export const layers = z
  .array(
    z.strictObject({
      ref: z.string().min(1).max(100).describe('By this name later layers read the output: {{ .<ref>.field }}.'),
      name: z.string().max(200).optional(),
      appId: z.string().min(1).max(100).describe('The module: see list_modules.'),
      args: free.optional().describe("The module's arguments; texts may hold expressions in {{ }}."),
      when: z.string().nullable().optional().describe('One expression in braces: the layer is FILTERED when it is no.'),
      retry: retry.nullable().optional(),
      timeoutMs: z.int().min(1).nullable().optional(),
      onError: z.enum(['fail', 'continue']).optional(),
      onInterrupted: z.enum(['repeat', 'fail']).optional(),
      forEach: z
        .strictObject({
          in: z.string().min(1),
          concurrency: z.int().min(1).max(100).default(1),
          onItemError: z
            .enum(['fail', 'collect'])
            .optional()
            .describe('collect: the output is a list of { ok, out, error }.'),
        })
        .nullable()
        .optional(),
      repeat: z
        .strictObject({
          until: z.string().min(1).describe('One expression in braces over $repeat.out and $repeat.index.'),
          max: z.int().min(1).max(10_000).optional(),
          delayMs: z.int().min(0).max(86_400_000).optional(),
        })
        .nullable()
        .optional()
        .describe('Runs the layer again until a condition is true.'),
      stage: z.string().nullable().optional().describe('Neighbours that name the same stage run at the same time.'),
    }),
  )
  .max(500)
  .describe('All layers, in the order of execution.');

export const settings = free.describe(
  'concurrency, timeoutMs, onMissing (fail, null, empty), maxOutputBytes, onDestinationDown (fail, park), lane, onLaneFail (continue, stop), labels, onFailure.',
);
export const when = z
  .string()
  .nullable()
  .describe('An expression over $prev.args: a run for which it is false is skipped.');
