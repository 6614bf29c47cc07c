import { AnyField, IntField, TextField } from '../http/fields.js';

/** A name is one line: what plays wait for is stored as name and key with a line break between. */
/** No control characters. Spelled out: `\p{Cc}` is not known to every language that reads the OpenAPI document. */
const ONE_LINE = /^[^\x00-\x1f\x7f-\x9f]+$/;
const ONE_LINE_SAYS = '$property must not have control characters';

export class EventBody {
  @TextField({
    description: 'What happened: the `name` that wait-event layers wait for.',
    min: 1,
    max: 200,
    pattern: ONE_LINE,
    patternSays: ONE_LINE_SAYS,
    example: 'invoice.paid',
  })
  readonly name: string;

  @TextField({
    description: 'To whom it happened. Layers with a key take events of that key only, those without one all.',
    min: 1,
    max: 255,
    pattern: ONE_LINE,
    patternSays: ONE_LINE_SAYS,
    optional: true,
    nullable: true,
  })
  readonly key?: string | null;

  @AnyField({
    description: 'What the waiting layers give as `payload`; up to 512 KB.',
    optional: true,
    nullable: true,
    example: { amount: 12.5 },
  })
  readonly payload?: unknown;

  @IntField({
    description: 'For how long it is kept for a play that begins to wait for it, up to 7 days. Default: not at all.',
    min: 1,
    max: 604_800_000,
    unit: 'ms',
    optional: true,
  })
  readonly ttlMs?: number;
}
