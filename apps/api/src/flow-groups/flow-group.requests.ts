import { NameField } from '../http/fields.js';

export class CreateFlowGroupBody {
  @NameField({ description: 'Need not be unique.', example: 'Order intake' })
  readonly name: string;
}

export class UpdateFlowGroupBody {
  @NameField({ description: 'Need not be unique.', optional: true, example: 'Order intake' })
  readonly name?: string;
}
