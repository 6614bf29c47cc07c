import { scheduleShape } from '@weft/shapes';
import { bodyOf } from '../http/body-of.js';
import { NeededTextParam, TextParam } from '../http/query-fields.js';

export class CreateScheduleBody extends bodyOf(scheduleShape) {}

export class UpdateScheduleBody extends bodyOf(scheduleShape.partial()) {}

export class ScheduleQuery {
  @TextParam('Only schedules of this flow.')
  readonly flow_id?: string;
}

export class PreviewQuery {
  @NeededTextParam('Five cron fields.')
  readonly schedule: string;

  @TextParam('IANA name of the zone. Default: UTC.', 64)
  readonly timezone?: string;
}
