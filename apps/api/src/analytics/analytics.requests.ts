import { PageQuery } from '../http/paging.js';
import { ChoiceParam } from '../http/query-fields.js';
import { WINDOW_NAMES, type WindowName } from './stats-period.js';

const ABOUT_WINDOW = 'How far back, to now: 60 minutes, or 24 or 168 hours, the current one among them. Default 24h.';

export class WindowQuery {
  @ChoiceParam(ABOUT_WINDOW, WINDOW_NAMES)
  readonly window?: WindowName;
}

export class FlowStatsQuery extends PageQuery {
  @ChoiceParam(ABOUT_WINDOW, WINDOW_NAMES)
  readonly window?: WindowName;
}
