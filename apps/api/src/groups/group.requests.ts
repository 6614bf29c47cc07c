import { NameField } from '../http/fields.js';

export class CreateGroupBody {
  @NameField({ description: 'Need not be unique.', example: 'Night shift' })
  readonly name: string;
}

export class UpdateGroupBody {
  @NameField({ description: 'Need not be unique.', optional: true, example: 'Night shift' })
  readonly name?: string;
}
