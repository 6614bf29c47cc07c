import { AnyField, IntField } from '../http/fields.js';
import { PageQuery } from '../http/paging.js';
import { TextParam } from '../http/query-fields.js';

const TEN_YEARS_MS = 3_660 * 86_400_000;

export const MAX_KV_KEY = 200;
/** No control characters. */
export const KV_KEY = /^[^\u0000-\u001f\u007f-\u009f]+$/;

export class KvListQuery extends PageQuery {
  @TextParam('Only keys that begin with this text.')
  readonly prefix?: string;
}

export class SetKvBody {
  @AnyField({ description: 'Any JSON value, up to 64 KB.', nullable: true, example: 42 })
  readonly value: unknown;

  @IntField({
    description: 'Milliseconds until the entry is gone; left out, it stays.',
    min: 1,
    max: TEN_YEARS_MS,
    optional: true,
    nullable: true,
  })
  readonly ttlMs?: number | null;
}
