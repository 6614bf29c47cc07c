import { PLAY_STATES, type PlayState, type PlayTrigger } from '@weft/contracts';
import { PageQuery } from '../http/paging.js';
import { ChoiceParam, ChoicesParam, TextParam, TimeParam } from '../http/query-fields.js';

export const TRIGGERS = ['api', 'schedule', 'retry', 'rerun', 'flow', 'hook'] as const satisfies readonly PlayTrigger[];

export class ListFlowPlaysQuery extends PageQuery {
  @ChoicesParam('Plays in these states.', PLAY_STATES)
  readonly state?: readonly PlayState[];

  @TimeParam('Accepted at this time or later.')
  readonly from?: Date;

  @TimeParam('Accepted before this time.')
  readonly to?: Date;

  @TextParam('With this idempotency key.', 255)
  readonly idempotencyKey?: string;

  @ChoiceParam('Started this way.', TRIGGERS)
  readonly trigger?: PlayTrigger;
}

export class ListPlaysQuery extends ListFlowPlaysQuery {
  @TextParam('Of this flow.')
  readonly flowId?: string;
}
