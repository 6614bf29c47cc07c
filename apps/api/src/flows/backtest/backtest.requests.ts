import { FreeObjectField, IntField } from '../../http/fields.js';

/** Plays that one backtest rehearses at most, and when nothing is said. */
const MAX_PLAYS = 200;
export const DEFAULT_PLAYS = 50;

export class BacktestBody {
  @IntField({
    description: 'A version of the flow; its present one when neither this nor `document` is given.',
    min: 1,
    max: 1_000_000_000,
    optional: true,
  })
  readonly version?: number;

  @FreeObjectField({
    description: 'The edited flow, as `GET /flows/:id/export` writes it; `[left out]` means what the flow has there.',
    optional: true,
    example: {
      schema: 'weft.flow/1',
      name: 'Order intake',
      layers: [{ ref: 'fetch', appId: 'web-request', args: { url: 'https://api.example.com/orders' } }],
    },
  })
  readonly document?: Readonly<Record<string, unknown>>;

  @IntField({
    description: `How many plays, the last ones that have ended; ${DEFAULT_PLAYS} when left out.`,
    min: 1,
    max: MAX_PLAYS,
    optional: true,
  })
  readonly last?: number;
}
