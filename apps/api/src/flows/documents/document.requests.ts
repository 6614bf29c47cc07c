import { FlagField, FreeObjectField, NameField } from '../../http/fields.js';

export const DOCUMENT_EXAMPLE = {
  schema: 'weft.flow/1',
  name: 'Order intake',
  layers: [{ ref: 'fetch', appId: 'web-request', args: { url: 'https://api.example.com/orders' } }],
};

export class ImportFlowBody {
  @FreeObjectField({
    description: 'What `GET /flows/:id/export` gave, or one written by hand to its schema.',
    example: DOCUMENT_EXAMPLE,
  })
  readonly document: Readonly<Record<string, unknown>>;

  @NameField({ description: "The document's when left out.", optional: true })
  readonly name?: string;

  @FlagField({
    description: 'Nothing is stored: 200 with the flow as it would be, or the refusal. Default: false.',
    optional: true,
  })
  readonly dryRun?: boolean;
}
