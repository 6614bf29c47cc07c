import { FlagField, FreeObjectField, NameField } from '../../http/fields.js';

type Free = Readonly<Record<string, unknown>>;

class TestCaseFields {
  @FreeObjectField({ description: 'Arguments of the run. {} when left out.', optional: true })
  readonly args?: Free;

  @FreeObjectField({
    description: "Ref → the out that stands in for the layer's own. A layer that reaches outside needs one.",
    optional: true,
    example: { fetch: { statusCode: 200, json: { ok: true } } },
  })
  readonly fixtures?: Free;

  @FreeObjectField({
    description:
      'Ref → part of the out that the layer must give: fields left out may be anything, lists have this length.',
    optional: true,
    example: { tell: { text: 'It is ok.' } },
  })
  readonly expected?: Free;

  @FlagField({ description: 'The flow cannot be enabled while this case fails.', optional: true })
  readonly required?: boolean;
}

export class CreateTestCaseBody extends TestCaseFields {
  @NameField({ description: 'For people.', example: 'tells that it is ok' })
  readonly name: string;
}

export class UpdateTestCaseBody extends TestCaseFields {
  @NameField({ description: 'For people.', optional: true })
  readonly name?: string;
}
