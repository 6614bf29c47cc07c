import { DELIVERY_STATES, type DeliveryState } from '@weft/records';
import { webhookShape } from '@weft/shapes';
import { bodyOf } from '../http/body-of.js';
import { ChoiceField, TextField } from '../http/fields.js';
import { ISO_TIME } from '../http/iso-time.js';
import { PageQuery } from '../http/paging.js';
import { ChoiceParam } from '../http/query-fields.js';

export class CreateWebhookBody extends bodyOf(webhookShape) {}

export class UpdateWebhookBody extends bodyOf(webhookShape.omit({ signing: true }).partial()) {}

const time = (description: string) => ({
  description,
  max: 40,
  pattern: ISO_TIME,
  patternSays: '$property must be a time in ISO 8601 with its zone',
});

export class ReplayBody {
  @TextField({ ...time('Events from this time on.'), example: '2026-11-21T09:00:00Z' }) readonly since: string;
  @TextField({ ...time('Events before this time.'), example: '2026-11-21T10:00:00Z' }) readonly until: string;

  @ChoiceField({
    description:
      'failed: what was given up; all: every event of plays, also those that came while the webhook was disabled.',
    of: ['failed', 'all'],
  })
  readonly only: 'failed' | 'all';
}

export class ListDeliveriesQuery extends PageQuery {
  @ChoiceParam('Deliveries in this state.', DELIVERY_STATES)
  readonly state?: DeliveryState;
}
