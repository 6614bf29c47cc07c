import { DELIVERY_STATES, type DeliveryState } from '@weft/records';
import {
  MAX_ATTEMPTS,
  MAX_DELAY_SECONDS,
  SIGNINGS,
  WEBHOOK_EVENTS,
  type Signing,
  type WebhookEventType,
} from '@weft/webhooks';
import {
  ChoiceField,
  ChoiceListField,
  FlagField,
  IdListField,
  IntField,
  IntListField,
  NameField,
  NestedField,
  TextField,
  TextMapField,
} from '../http/fields.js';
import { ISO_TIME } from '../http/iso-time.js';
import { PageQuery } from '../http/paging.js';
import { ChoiceParam } from '../http/query-fields.js';

const ADDRESS = /^[!-~]{1,64}@[\w.-]{1,253}$/;
/** Without user name, password and fragment: the first two would be shown, the last is never sent. */
const URL_SHAPE = /^https?:\/\/[^\s@#/?\\\x00-\x1f\x7f]+(?:[/?][^\s#\\\x00-\x1f\x7f]*)?$/i;

export class NotifyBody {
  @TextField({
    description: 'Id of an integration link to a mail server.',
    min: 1,
    max: 64,
    example: '06dqx3v8k2m7w0r5t9ya',
  })
  readonly integrationId: string;

  @TextField({
    description: 'Who gets a mail when Weft disables the webhook.',
    min: 3,
    max: 320,
    pattern: ADDRESS,
    patternSays: 'to must be one e-mail address',
    example: 'on-call@example.com',
  })
  readonly to: string;
}

const name = { description: 'What people call it.', example: 'Orders to the warehouse' };
const url = {
  description: 'Where events are posted to. Values of its query are not shown again.',
  min: 8,
  max: 2_000,
  pattern: URL_SHAPE,
  patternSays: 'url must be an http or https address without user name and fragment',
  example: 'https://hooks.example.com/weft',
};
const events = {
  description: 'The types of events that it gets.',
  of: WEBHOOK_EVENTS,
  example: ['play.done', 'play.failed'],
};

export class UpdateWebhookBody {
  @NameField({ ...name, optional: true }) readonly name?: string;
  @TextField({ ...url, optional: true }) readonly url?: string;
  @ChoiceListField({ ...events, optional: true }) readonly events?: WebhookEventType[];

  @IdListField({ description: 'Events of these flows only; null: of all.', max: 100, optional: true, nullable: true })
  readonly flow_ids?: string[] | null;

  @TextMapField({
    description: 'Events of plays with all of these labels only; null: of all.',
    maxEntries: 10,
    maxLength: 255,
    optional: true,
    nullable: true,
  })
  readonly labels?: Record<string, string> | null;

  @IntListField({
    description: 'Seconds before each attempt; null: 0, 5 s, 5 and 30 min, 2, 5, 10, 14, 20 and 24 h.',
    max: MAX_ATTEMPTS,
    min: 0,
    largest: MAX_DELAY_SECONDS,
    optional: true,
    nullable: true,
  })
  readonly schedule?: number[] | null;

  @IntField({
    description: 'At most this many attempts a second; null: as fast as the receiver answers.',
    min: 1,
    max: 1_000,
    optional: true,
    nullable: true,
  })
  readonly rate_per_second?: number | null;

  @IntField({ description: 'At most this many attempts at once. Default: 10.', min: 1, max: 100, optional: true })
  readonly max_in_flight?: number;

  @FlagField({
    description:
      'True: one event after the other, in the order of the change feed; one that fails holds up the others.',
    optional: true,
  })
  readonly ordered?: boolean;

  @FlagField({ description: 'True: events of ends have the output of the last layer, up to 16 KB.', optional: true })
  readonly include_out?: boolean;

  @NestedField(NotifyBody, { description: 'Whom a mail tells that it was disabled.', optional: true, nullable: true })
  readonly notify?: NotifyBody | null;

  @FlagField({ description: 'False: it gets nothing. Default: true.', optional: true }) readonly enabled?: boolean;
}

export class CreateWebhookBody extends UpdateWebhookBody {
  @NameField(name) declare readonly name: string;
  @TextField(url) declare readonly url: string;
  @ChoiceListField(events) declare readonly events: WebhookEventType[];

  @ChoiceField({
    description:
      'v1: HMAC-SHA256 under a shared secret; v1a: Ed25519, of which the receiver has the public key. Default: v1.',
    of: SIGNINGS,
    optional: true,
  })
  readonly signing?: Signing;
}

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
