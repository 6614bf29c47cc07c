import { DELIVERY_OUTCOMES, type DeliveryOutcome, type TriggerDeliveryDocument } from '@weft/records';
import * as s from '../http/schema.js';

type Texts = TriggerDeliveryDocument['headers'];

export interface DeliveryView {
  readonly id: string;
  readonly triggerId: string;
  readonly dedupeId: string;
  readonly receivedAt: string;
  readonly outcome: DeliveryOutcome;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly playId: string | null;
  readonly method: string;
  readonly contentType: string | null;
  readonly bytes: number;
  readonly headers: Texts;
  readonly query: Texts;
  readonly replayOf: string | null;
  readonly replayable: boolean;
}

const deliverySchema = s.named(
  'Delivery',
  s.object<DeliveryView>({
    id: s.text,
    triggerId: s.text,
    dedupeId: { ...s.text, description: 'The id that the sender gave it, or its own.' },
    receivedAt: s.time,
    outcome: {
      ...s.oneOf(DELIVERY_OUTCOMES),
      description: 'duplicate: a play of an earlier delivery has the same id; skipped: there was nothing to run.',
    },
    error: s.orNull(s.object<NonNullable<DeliveryView['error']>>({ code: s.text, message: s.text })),
    playId: s.textOrNull,
    method: s.text,
    contentType: s.textOrNull,
    bytes: s.integer,
    headers: { ...s.freeObject, description: 'Without credentials.' },
    query: s.freeObject,
    replayOf: { ...s.textOrNull, description: 'The delivery that this one repeats.' },
    replayable: { ...s.flag, description: 'Its body is kept.' },
  }),
);

export const deliveryPageSchema = s.pageOf('Delivery', deliverySchema);

export function toDeliveryView(delivery: TriggerDeliveryDocument, replayable: boolean): DeliveryView {
  return {
    id: delivery._id,
    triggerId: delivery.trigger_id,
    dedupeId: delivery.dedupe_id,
    receivedAt: delivery.received_at.toISOString(),
    outcome: delivery.outcome,
    error: delivery.error,
    playId: delivery.play_id,
    method: delivery.method ?? 'POST',
    contentType: delivery.content_type,
    bytes: delivery.bytes,
    headers: delivery.headers,
    query: delivery.query,
    replayOf: delivery.replay_of,
    replayable,
  };
}
