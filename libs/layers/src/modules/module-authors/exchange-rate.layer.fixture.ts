import { EgressError } from '@weft/egress';
import { parseJson } from '@weft/kernel';
import { z } from 'zod';
import { LayerFailure, type WorkingModule } from '../../layer-module.js';

const currency = z.string().regex(/^[A-Z]{3}$/, 'expected three capital letters');

const args = z.strictObject({
  from: currency.describe('Currency of the amount.'),
  to: currency.describe('Currency that is wanted.'),
  amount: z.number().default(1).describe('How much of it.'),
});

const answered = z.looseObject({ rate: z.number().positive() });

/** Fails with the codes of the egress client, and with `invalid_output` for an answer without a rate. */
export const exchangeRate: WorkingModule<z.output<typeof args>> = {
  appId: 'exchange-rate',
  title: 'Exchange rate',
  description: 'Converts an amount at the rate of the day.',
  icon: 'coins',
  effect: 'effect',
  argsSchema: args,
  outSchema: z.strictObject({
    amount: z.number().describe('The amount in the other currency.'),
    rate: z.number().describe('What one unit is worth.'),
  }),
  examples: [{ title: 'A price in euros', args: { from: 'USD', to: 'EUR', amount: '{{ $prev.args.price }}' } }],

  async run({ from, to, amount }, context) {
    const response = await context.http
      .request({
        method: 'GET',
        url: `https://rates.example.com/${from}/${to}`,
        headers: { 'Idempotency-Key': context.idempotencyKey },
        timeoutMs: context.timeoutMs,
        maxRedirects: 0,
        maxResponseBytes: 10_000,
        signal: context.signal,
      })
      .catch((error: unknown) => {
        if (error instanceof EgressError) throw new LayerFailure(error.code, error.message);
        throw error;
      });
    const found = answered.safeParse(parseJson(response.body));
    if (!found.success) throw new LayerFailure('invalid_output', 'The service gave no rate.');
    return { amount: amount * found.data.rate, rate: found.data.rate };
  },
};
