import { NameField, TextField, TextMapField } from '../../http/fields.js';

export class InstantiateBody {
  @NameField({ description: 'Of the new flow.', example: 'Order intake' })
  readonly name: string;

  @TextField({ description: "The blueprint's when left out.", max: 200, optional: true })
  readonly category?: string;

  @TextMapField({
    description:
      'A text for each variable that `{{ $blueprint.<name> }}` reads. Texts are data: `{{ }}` in them means nothing.',
    maxEntries: 1_000,
    maxLength: 65_536,
    optional: true,
    example: { host: 'api.example.com' },
  })
  readonly blueprintVars?: Readonly<Record<string, string>>;
}
