import { FlagField, IntField, NameField } from '../http/fields.js';

export class CreateCompanyBody {
  @NameField({ description: 'Need not be unique.', example: 'Heron Works' })
  readonly name: string;
}

export class UpdateCompanyBody {
  @NameField({ description: 'Need not be unique.', optional: true, example: 'Heron Works' })
  readonly name?: string;

  @FlagField({ description: 'False: nobody can act in it, by session or by key. For operators.', optional: true })
  readonly active?: boolean;

  @IntField({
    description:
      'How many of its plays may wait before a run is refused; null: as many as RUN_BACKLOG_MAX says. For operators.',
    min: 1,
    max: 100_000_000,
    optional: true,
    nullable: true,
    example: 50_000,
  })
  readonly backlog_max?: number | null;
}
