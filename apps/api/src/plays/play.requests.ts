import { PLAY_STATES, PLAY_TRIGGERS, type PlayState, type PlayTrigger } from '@weft/contracts';
import type { PlayFilter } from '@weft/store';
import { CursorParam, PageParam, SizeParam, type PageQuery } from '../http/paging.js';
import { LabelParam } from '../http/labels.js';
import { ChoiceParam, ChoicesParam, IntParam, TextParam, TimeParam } from '../http/query-fields.js';

export const PLAY_SORTS = ['createdAt', 'completedAt'] as const;
export type PlaySort = (typeof PLAY_SORTS)[number];

class FlowPlaysFilter {
  @ChoicesParam('Plays in these states.', PLAY_STATES)
  readonly state?: readonly PlayState[];

  @TimeParam('Accepted at this time or later.')
  readonly from?: Date;

  @TimeParam('Accepted before this time.')
  readonly to?: Date;

  @TimeParam('Ended at this time or later.')
  readonly endedFrom?: Date;

  @TimeParam('Ended before this time.')
  readonly endedTo?: Date;

  @TextParam('Failed with this `error.code`.')
  readonly errorCode?: string;

  @ChoiceParam('Pausing before a failed layer is called again.', ['true'])
  readonly retrying?: 'true';

  @ChoiceParam('`true`: failed plays that a later retry has brought to DONE or FILTERED. `false`: all others.', [
    'true',
    'false',
  ])
  readonly mended?: 'true' | 'false';

  @LabelParam()
  readonly label?: readonly string[];

  @TextParam('With this idempotency key.', 255)
  readonly idempotencyKey?: string;

  @TextParam('With an idempotency key that begins like this, in upper and lower case.', 255)
  readonly idempotencyKeyPrefix?: string;

  @ChoiceParam('Started this way.', PLAY_TRIGGERS)
  readonly trigger?: PlayTrigger;
}

export class ListFlowPlaysQuery extends FlowPlaysFilter implements PageQuery {
  @ChoiceParam(
    '`createdAt`: newest first. `completedAt`: only plays that have ended, the last ended one first.',
    PLAY_SORTS,
  )
  readonly sort?: PlaySort;

  @PageParam()
  readonly page?: number;

  @SizeParam()
  readonly size?: number;

  @CursorParam()
  readonly cursor?: string;
}

export class ListPlaysQuery extends ListFlowPlaysQuery {
  @TextParam('Of this flow.')
  readonly flowId?: string;
}

/** The filters of the list, without its pages. */
export class CountPlaysQuery extends FlowPlaysFilter {
  @TextParam('Of this flow.')
  readonly flowId?: string;
}

export class PlayEventsQuery {
  @IntParam('Begin with the frame of this number.', 1, 1_000_000, 1)
  readonly fromSeq?: number;
}

/** What a list, a count and a bulk action look for. Which flows the caller may see is added by the one who asks. */
export function toPlayFilter(query: FlowPlaysFilter): PlayFilter {
  const { state, from, to, endedFrom, endedTo, errorCode, retrying, label } = query;
  const { idempotencyKey, idempotencyKeyPrefix, trigger } = query;
  return {
    states: state,
    labels: label,
    ...{ from, to, endedFrom, endedTo, errorCode, idempotencyKey, idempotencyKeyPrefix, trigger },
    ...(retrying !== undefined && { retrying: true }),
  };
}

export class LayerInputQuery {
  @IntParam('Which item, page or round of a loop, from 0. Left out: the one that failed, else the first.', 0, 1_000_000)
  readonly item?: number;
}

export class LoopItemsQuery implements PageQuery {
  @ChoiceParam('Only those that ended well (`true`), or that failed (`false`).', ['true', 'false'])
  readonly ok?: 'true' | 'false';

  @PageParam()
  readonly page?: number;

  @SizeParam()
  readonly size?: number;

  @CursorParam()
  readonly cursor?: string;
}
