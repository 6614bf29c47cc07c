import { AnyField } from '../../http/fields.js';

export class PutSampleBody {
  @AnyField({
    description: 'What the layer gives, as later layers read it: any JSON value, up to 256 KB.',
    nullable: true,
    example: { statusCode: 200, json: { orders: [{ id: 7 }] } },
  })
  readonly out: unknown;
}
