import { TextField } from '../http/fields.js';

export class SkipLaneBody {
  @TextField({
    description:
      'The play to skip; another one that has the turn by then is not skipped. Left out: whichever has the turn.',
    min: 1,
    max: 64,
    optional: true,
    example: '06dqx3v8k2m7w0r5t9ya',
  })
  readonly playId?: string;
}
