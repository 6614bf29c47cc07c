/** Recorded steps of an agent, as they were stored with a play or as somebody has written them for a test. */
import { z } from 'zod';
import type { ChatStop } from '../provider/port.js';

const STOPS = ['end', 'calls', 'length', 'refused', 'context_full'] as const satisfies readonly ChatStop[];
const count = z.int().min(0);
const digest = z.string().optional();

/** A call that the model asked for. */
const call = z.looseObject({
  id: z.string().optional(),
  name: z.string(),
  arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).default({}),
});

const model = z.looseObject({
  kind: z.literal('model'),
  digest,
  text: z.string().default(''),
  calls: z.array(call).default([]),
  usage: z
    .looseObject({ tokensIn: count, tokensOut: count, cost: z.number().nullable().default(null) })
    .default({ tokensIn: 0, tokensOut: 0, cost: 0 }),
  stop: z.enum(STOPS).optional(),
  ms: z.number().min(0).default(0),
});

const result = z.looseObject({
  kind: z.enum(['tool', 'child']),
  digest,
  tool: z.string(),
  ok: z.boolean().default(true),
  result: z.unknown().default(null),
  ms: z.number().min(0).default(0),
});

const approval = z.looseObject({
  kind: z.literal('approval'),
  digest,
  tool: z.string(),
  decision: z.enum(['approve', 'reject']),
  by: z.string().nullable().default(null),
  comment: z.string().nullable().default(null),
  at: z.string().default(''),
});

export const recordSchema = z.discriminatedUnion('kind', [model, result, approval]);

/** An answer of the model without what Weft said of its calls then. */
export function answerIn(record: unknown) {
  const { text, calls, usage, stop, ms } = model.parse(record);
  const { tokensIn, tokensOut, cost } = usage;
  return {
    text,
    calls: calls.map(({ id, name, arguments: given }, i) => ({
      id: id ?? `call_${i}`,
      name,
      arguments: typeof given === 'string' ? given : JSON.stringify(given),
    })),
    usage: { tokensIn, tokensOut, cost },
    stop: stop ?? (calls.length > 0 ? ('calls' as const) : ('end' as const)),
    ms,
  };
}

/** The end of a call of a tool. @param of the call that it is now */
export function resultIn(record: unknown, of: { readonly call: number; readonly tool: string }) {
  const { kind, ok, result: gave, ms, playId } = result.parse(record);
  return { kind, ...of, ok, result: gave, ...(typeof playId === 'string' && { playId }), ms };
}
