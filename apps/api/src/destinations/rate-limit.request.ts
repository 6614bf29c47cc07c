import { rateLimitShape, type RateLimit } from '@weft/shapes';
import { bodyOf } from '../http/body-of.js';
import { NestedField } from '../http/fields.js';

export class RateLimitBody extends bodyOf(rateLimitShape) {}

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
