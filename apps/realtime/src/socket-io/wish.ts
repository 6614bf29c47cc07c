import { z } from 'zod';

const id = z.string().min(1).max(200);

/** What a client subscribes to: contract §6. */
const wish = z.union([
  z.strictObject({ playId: id, fromSeq: z.int().min(1).default(1) }),
  z.strictObject({ flowId: id }),
  z.strictObject({ company: z.literal(true) }),
]);

export type Wish = z.infer<typeof wish>;

/** Null for what is none, binary values among it. */
export function readWish(message: unknown): Wish | null {
  const parsed = wish.safeParse(message);
  return parsed.success ? parsed.data : null;
}
