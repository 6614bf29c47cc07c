import { FlagField, TextField } from '../http/fields.js';

export class CreateCompanyBody {
  @TextField({ description: 'Need not be unique.', min: 1, max: 200, example: 'Heron Works' })
  readonly name: string;
}

export class UpdateCompanyBody {
  @TextField({ description: 'Need not be unique.', min: 1, max: 200, optional: true, example: 'Heron Works' })
  readonly name?: string;

  @FlagField({ description: 'False: nobody can act in it, by session or by key. For operators.', optional: true })
  readonly active?: boolean;
}
