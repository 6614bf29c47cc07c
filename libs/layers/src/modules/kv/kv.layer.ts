import { z } from 'zod';
import type { Output, WorkingModule } from '../../layer-module.js';

const TEN_YEARS_MS = 3_660 * 86_400_000;

const args = z
  .strictObject({
    op: z
      .enum(['get', 'set', 'add', 'increment', 'delete'])
      .describe('What to do with the entry; add sets it only if nothing is there.'),
    key: z
      .string()
      .min(1)
      .max(200)
      .regex(/^[^\p{Cc}]*$/u, 'expected no control characters')
      .describe('Name of the entry in the store of the company.'),
    value: z.unknown().optional().describe('For set and add: any JSON value, up to 64 KB.'),
    by: z
      .number()
      .min(-Number.MAX_SAFE_INTEGER)
      .max(Number.MAX_SAFE_INTEGER)
      .optional()
      .describe('For increment: how much to add, 1 unless told; less than 0 counts down.'),
    ttlMs: z
      .int()
      .min(1)
      .max(TEN_YEARS_MS)
      .optional()
      .describe(
        'Milliseconds until the entry is gone, from a set, or from the add or increment that makes it; left out, it stays.',
      ),
    ifVersion: z
      .int()
      .min(0)
      .optional()
      .describe('For set and delete: the version that the entry must have, or the layer fails with version_conflict.'),
  })
  .superRefine(({ op, value, by, ttlMs, ifVersion }, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    const sets = op === 'set' || op === 'add';
    if (sets && value === undefined) refuse('value', `${op} needs a value`);
    if (!sets && value !== undefined) refuse('value', `${op} takes no value`);
    if (op !== 'increment' && by !== undefined) refuse('by', `${op} takes no by`);
    if ((op === 'get' || op === 'delete') && ttlMs !== undefined) refuse('ttlMs', `${op} takes no ttlMs`);
    if (op !== 'set' && op !== 'delete' && ifVersion !== undefined) refuse('ifVersion', `${op} takes no ifVersion`);
  });

type KvArgs = z.output<typeof args>;

/**
 * Reads and changes one entry of the company's key-value store. Fails with `value_too_large`, with `version_conflict`
 * for an entry of another version, and with `not_a_number` and `out_of_range` for values that cannot be incremented. A
 * change that is repeated after a crash is applied once.
 */
export const kv: WorkingModule<KvArgs> = {
  appId: 'kv',
  title: 'Key-value store',
  description: 'Keeps values under keys of the company, for this and other flows, and counts without losing a step.',
  icon: 'database',
  effect: 'effect',
  argsSchema: args,
  outSchema: z.strictObject({
    value: z.unknown().describe('What is there now; null when nothing is.'),
    existed: z.boolean().describe('Whether it was there before; after an add: whether it was left as it was.'),
    version: z.number().nullable().describe('Its version now, for ifVersion; null when nothing is there.'),
  }),
  examples: [
    { title: 'Read where the last run stopped', args: { op: 'get', key: 'orders.cursor' } },
    { title: 'Remember it', args: { op: 'set', key: 'orders.cursor', value: '{{ $prev.args.cursor }}' } },
    {
      title: 'Count calls of a customer in an hour',
      args: { op: 'increment', key: 'calls.{{ $prev.args.customer }}', ttlMs: 3_600_000 },
    },
    {
      title: 'Take a lock for a minute at most',
      args: { op: 'add', key: 'locks.export', value: '{{ $play.id }}', ttlMs: 60_000 },
    },
    { title: 'Give it back', args: { op: 'delete', key: 'locks.export', ifVersion: '{{ $prev.lock.version }}' } },
    { title: 'Forget', args: { op: 'delete', key: 'orders.cursor' } },
  ],

  intentOf: ({ op }) => ({ reads: op === 'get', request: null }),

  run: async ({ op, key, value, by, ttlMs, ifVersion }, { kv: store }): Promise<Output> => {
    switch (op) {
      case 'get':
        return { ...(await store.get(key)) };
      case 'set':
        return { value, ...(await store.set(key, value, ttlMs, ifVersion)) };
      case 'add':
        return { ...(await store.add(key, value, ttlMs)) };
      case 'increment':
        return { ...(await store.increment(key, by, ttlMs)) };
      case 'delete':
        return { value: null, version: null, ...(await store.delete(key, ifVersion)) };
    }
  },
};
