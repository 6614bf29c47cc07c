import { WORKER_LABEL, WORKER_LABEL_SAYS } from '@weft/contracts';
import { TimeParam } from '../http/query-fields.js';
import { FlagField, IntField, NameField, TextField } from '../http/fields.js';

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

  @IntField({
    description: 'How many runs it may start in a second, ten seconds of it at once; null: any number. For operators.',
    min: 1,
    max: 1_000_000,
    optional: true,
    nullable: true,
    example: 50,
  })
  readonly runs_per_second?: number | null;

  @IntField({
    description: 'How many bytes of plays, files and large values it may store; null: any number. For operators.',
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    optional: true,
    nullable: true,
    example: 10_000_000_000,
  })
  readonly bytes_max?: number | null;

  @TextField({
    description: `The workers with this label (WORKER_LABEL) execute its plays, and no others; null: those without one. It is ${WORKER_LABEL_SAYS}. For operators.`,
    max: 30,
    pattern: WORKER_LABEL,
    patternSays: `$property must be ${WORKER_LABEL_SAYS}`,
    optional: true,
    nullable: true,
    example: 'acme',
  })
  readonly worker_label?: string | null;
}

export class UsageQuery {
  @TimeParam('Its day is the first one. Default: 30 days before `to`.')
  readonly from?: Date;

  @TimeParam('Its day is not among them, unless it is today. Default: now.')
  readonly to?: Date;
}

export class EraseCompanyBody {
  @TextField({ description: 'The name of the company, exactly as it is.', max: 200, example: 'Heron Works' })
  readonly confirm: string;
}

export class ImportCompanyBody {
  @NameField({ description: 'What the company is called here.', example: 'Heron Works' })
  readonly name: string;

  @TextField({
    description: 'The file of an export, uploaded by POST /payloads: the `$ref` of its answer.',
    max: 100,
    example: '/api/v1/payloads/0123456789abcdef01234567',
  })
  readonly file: string;
}
