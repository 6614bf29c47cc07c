import { RATE_PERIODS, type RateLimit } from '@weft/contracts';
import { ChoiceField, IntField, NestedField } from '../http/fields.js';

export class RateLimitBody implements RateLimit {
  @IntField({ description: 'Calls in each period.', min: 1, max: 1_000_000, example: 50 })
  readonly limit: number;

  @ChoiceField({ description: 'The period.', of: RATE_PERIODS, example: 'second' })
  readonly per: RateLimit['per'];
}

export function RateLimitField(): PropertyDecorator {
  return NestedField(RateLimitBody, {
    description: 'How often the layers of the company call, over all workers; null: as often as they do.',
    optional: true,
    nullable: true,
    example: { limit: 50, per: 'second' },
  });
}

/** As it is stored; undefined when the request does not name it. */
export function rateLimitOf<Given extends RateLimitBody | null | undefined>(
  body: Given,
): RateLimit | Extract<Given, null | undefined> {
  return body ? { limit: body.limit, per: body.per } : (body as Extract<Given, null | undefined>);
}
