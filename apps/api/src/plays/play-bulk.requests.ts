import { WeftError } from '@weft/kernel';
import { readQuery } from '../http/dto.pipe.js';
import { ChoiceField, FlagField, IdListField, NestedField } from '../http/fields.js';
import { textsOf } from '../http/query-fields.js';
import { CountPlaysQuery } from './play.requests.js';

export const MAX_BULK_IDS = 1_000;

export const BULK_ACTIONS = ['cancel', 'retry'] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

/** The filters of the list, as the same texts. */
export class BulkFilter extends textsOf(CountPlaysQuery) {}

export class BulkBody {
  @ChoiceField({ description: 'What to do to each of them.', of: BULK_ACTIONS })
  readonly action: BulkAction;

  @IdListField({ description: 'These plays. Give ids, a filter or all.', max: MAX_BULK_IDS, optional: true })
  readonly ids?: readonly string[];

  @NestedField(BulkFilter, {
    description:
      'Plays that match, newest first; without a state, in those that the action can change. An empty one is refused.',
    optional: true,
    example: { state: 'FAIL', from: '2026-11-21T09:00:00Z' },
  })
  readonly filter?: BulkFilter;

  @FlagField({ description: 'All plays of the company that the action can change.', optional: true })
  readonly all?: boolean;

  @FlagField({ description: 'Count the plays, change none.', optional: true })
  readonly dryRun?: boolean;
}

export type BulkTarget = { readonly ids: readonly string[] } | { readonly filter: BulkFilter };

/**
 * A filter without fields matches every play of the company. A program whose variable is undefined sends the same, so it is
 * accepted only with `all`.
 *
 * @throws WeftError `empty_filter`, `invalid_body`
 */
export function bulkTarget({ ids, filter, all = false }: BulkBody): BulkTarget {
  const hasFilter = filter !== undefined && Object.values(filter).some((text) => text !== undefined);
  if ([ids !== undefined, hasFilter, all].filter(Boolean).length > 1 || (ids !== undefined && filter !== undefined)) {
    throw new WeftError('invalid_body', 'Give ids, a filter or all: true, one of them.');
  }
  if (ids !== undefined) return { ids };
  if (hasFilter) return { filter };
  if (all) return { filter: {} };
  throw new WeftError(
    'empty_filter',
    'Nothing says which plays are meant. Give ids, or a filter with at least one field; all plays of the company are all: true.',
  );
}

/** @throws WeftError `invalid_body` */
export function readBulkFilter(filter: BulkFilter): CountPlaysQuery {
  const given = Object.fromEntries(Object.entries(filter).filter(([, text]) => text !== undefined));
  try {
    return readQuery(CountPlaysQuery, given);
  } catch (error) {
    if (!(error instanceof WeftError) || error.code !== 'invalid_query') throw error;
    const errors = error.errors.map((fault) => ({ ...fault, path: fault.path.replace('query.', 'filter.') }));
    throw new WeftError('invalid_body', error.message, { errors });
  }
}
