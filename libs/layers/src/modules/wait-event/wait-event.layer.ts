import { z } from 'zod';
import { LayerFailure, type WaitingModule } from '../../layer-module.js';

const YEAR_MS = 366 * 86_400_000;

const args = z.strictObject({
  name: z.string().min(1).max(200).describe('Which event to wait for.'),
  key: z
    .union([z.string(), z.number()])
    .nullish()
    .transform((key) => (key === null || key === undefined ? null : String(key)))
    // an expression without a value must not make the layer take every event
    .pipe(z.string().min(1, 'is empty: leave it out to take every event of the name').max(255).nullable())
    .describe('Only events with this key, such as the number of an order; left out, every event of the name.')
    .meta({ type: ['string', 'null'] }),
  timeoutMs: z
    .int()
    .min(1)
    .max(YEAR_MS)
    .optional()
    .describe('Fails when no event came for that long, in milliseconds; left out, it waits without end.'),
});

/** The answer that `POST /events` and a resume call leave for the layer. */
const answered = z.looseObject({ payload: z.unknown().optional(), receivedAt: z.iso.datetime().optional() });

/** Parks the play until an event of the company arrives. Fails with `timeout`. */
export const waitEvent: WaitingModule<z.output<typeof args>> = {
  appId: 'wait-event',
  title: 'Wait for an event',
  description: 'Waits for an event that another program sends, or for a resume call, and gives its payload.',
  icon: 'radio',
  effect: 'park',
  argsSchema: args,
  outSchema: z.strictObject({
    payload: z.unknown().describe('What was sent with the event; null when nothing was.'),
    receivedAt: z.iso.datetime().describe('When it came.'),
  }),
  examples: [
    {
      title: 'Wait for the payment of an order',
      args: { name: 'order.paid', key: '{{ $prev.args.orderId }}', timeoutMs: 86_400_000 },
    },
    { title: 'Wait for any deployment', args: { name: 'deployed' } },
  ],

  ask({ name, key, timeoutMs }, { since, wait, answer, now }) {
    if (answer) {
      const { payload, receivedAt } = answered.parse(answer.payload);
      return { done: { payload: payload ?? null, receivedAt: receivedAt ?? now.toISOString() } };
    }
    const until = wait ? wait.until : timeoutMs === undefined ? null : new Date(since.getTime() + timeoutMs);
    if (until !== null && until <= now) {
      throw new LayerFailure('timeout', `no event "${name}" came within ${until.getTime() - since.getTime()} ms`);
    }
    return { wait: { kind: 'event', until, event: { name, key } } };
  },
};
