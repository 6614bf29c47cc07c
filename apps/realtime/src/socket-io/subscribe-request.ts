import { z } from 'zod';
import { kindsSchema } from '../company-stream/subscriptions.js';

const id = z.string().min(1).max(200);

/** What a client subscribes to: docs/live.md. */
const subscribeRequest = z.union([
  z.strictObject({ playId: id, fromSeq: z.int().min(1).default(1) }),
  z.strictObject({ flowId: id, kinds: kindsSchema }),
  z.strictObject({ company: z.literal(true), kinds: kindsSchema }),
]);

export type SubscribeRequest = z.infer<typeof subscribeRequest>;

/** Null when the message is not a valid request, for example a binary value. */
export function parseSubscribeRequest(message: unknown): SubscribeRequest | null {
  const parsed = subscribeRequest.safeParse(message);
  return parsed.success ? parsed.data : null;
}
