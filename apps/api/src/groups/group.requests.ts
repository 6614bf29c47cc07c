import { TextField } from '../http/fields.js';

export class CreateGroupBody {
  @TextField({ description: 'Need not be unique.', min: 1, max: 200, example: 'Night shift' })
  readonly name: string;
}

export class UpdateGroupBody {
  @TextField({ description: 'Need not be unique.', min: 1, max: 200, optional: true, example: 'Night shift' })
  readonly name?: string;
}
