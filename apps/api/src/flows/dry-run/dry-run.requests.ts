import { FlagField, FreeObjectField } from '../../http/fields.js';
import { DraftFields } from '../flow.requests.js';

/** With `when` or `layers`: of the flow as it would be with them. */
export class DryRunBody extends DraftFields {
  @FreeObjectField({ description: 'Arguments of the run. {} when left out.', optional: true })
  readonly args?: Readonly<Record<string, unknown>>;

  @FreeObjectField({
    description:
      "Ref → the out that stands in for the layer's own. Of an agent maybe `{ replay: [steps] }`. Without one a layer that reaches outside gives its sample, and one that reaches nobody runs for real.",
    optional: true,
    example: { fetch: { statusCode: 200, json: { ok: true } } },
  })
  readonly fixtures?: Readonly<Record<string, unknown>>;

  @FlagField({ description: 'False: samples do not stand in, as in a test case. true when left out.', optional: true })
  readonly samples?: boolean;
}
