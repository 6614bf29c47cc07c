import type { DeliveredEvent } from '@weft/runs';
import * as s from '../http/schema.js';

export interface EventAnswer {
  readonly matched: number;
  readonly kept: boolean;
}

export const eventAnswerSchema = s.named(
  'EventAnswer',
  s.object<EventAnswer>({
    matched: { ...s.integer, description: 'How many plays took it.' },
    kept: { ...s.flag, description: 'No play has taken it yet: the first one that begins to wait for it does.' },
  }),
);

export function toEventAnswer({ matched, kept }: DeliveredEvent): EventAnswer {
  return { matched, kept };
}
