import { AnyField, FreeObjectField, TextField } from '../http/fields.js';

export class ResumeBody {
  @TextField({
    description: 'The layer that waits or will wait (a wait-event or a delay), or that pauses before its next attempt.',
    min: 1,
    max: 100,
    example: 'wait',
  })
  readonly ref: string;

  @AnyField({
    description: 'What a wait-event gives as `payload`; up to 512 KB.',
    optional: true,
    nullable: true,
    example: { paid: true },
  })
  readonly payload?: unknown;
}

export class CancelBody {
  @TextField({
    description: 'Why: it is shown with the play.',
    min: 1,
    max: 500,
    optional: true,
    example: 'wrong file',
  })
  readonly reason?: string;
}

export class RerunBody {
  @FreeObjectField({
    description: 'Those of the play when left out; up to 512 KB.',
    optional: true,
    example: { order: 1042 },
  })
  readonly args?: Readonly<Record<string, unknown>>;
}
