import { TextField } from '../http/fields.js';

export class CreateFlowGroupBody {
  @TextField({ description: 'Need not be unique.', min: 1, max: 200, example: 'Order intake' })
  readonly name: string;
}

export class UpdateFlowGroupBody {
  @TextField({ description: 'Need not be unique.', min: 1, max: 200, optional: true, example: 'Order intake' })
  readonly name?: string;
}
