import { z } from 'zod';
import type { WaitingModule } from '../../layer-module.js';

const YEAR_MS = 366 * 86_400_000;

const args = z
  .strictObject({
    ms: z.int().min(0).max(YEAR_MS).optional().describe('How long to wait, in milliseconds.'),
    until: z.iso
      .datetime({ offset: true })
      .optional()
      .describe('Or when to go on: a time with its zone. One that is over does not wait.'),
  })
  .refine(({ ms, until }) => (ms === undefined) !== (until === undefined), 'expected either ms or until');

/** Parks the play for a time. A resume call ends the delay early. */
export const delay: WaitingModule<z.output<typeof args>> = {
  appId: 'delay',
  title: 'Delay',
  description: 'Waits for a time, or until a time; the play holds no place in a worker meanwhile.',
  icon: 'clock',
  effect: 'park',
  argsSchema: args,
  outSchema: z.strictObject({ waitedMs: z.int().describe('How long it waited, in milliseconds.') }),
  examples: [
    { title: 'Wait for five minutes', args: { ms: 300_000 } },
    { title: 'Wait until a time', args: { until: '2040-01-01T08:00:00+01:00' } },
  ],

  ask({ ms, until }, { since, wait, answer, now }) {
    const end = wait?.until ?? (until === undefined ? new Date(since.getTime() + (ms ?? 0)) : new Date(until));
    if (answer || end <= now) return { done: { waitedMs: Math.max(0, now.getTime() - since.getTime()) } };
    return { wait: { kind: 'delay', until: end } };
  },
};
