import { MISSED_SLOT_POLICIES, OVERLAP_POLICIES, type MissedSlotPolicy, type OverlapPolicy } from '@weft/engine';
import type { Labels } from '@weft/contracts';
import { LabelsField } from '../http/labels.js';
import { ChoiceField, FlagField, FreeObjectField, TextField } from '../http/fields.js';
import { NeededTextParam, TextParam } from '../http/query-fields.js';

const MAX_SCHEDULE = 200;
const MAX_ZONE = 64;

const SCHEDULE = {
  description: 'Five cron fields: minute, hour, day of month, month, day of week.',
  example: '30 6 * * 1-5',
  min: 1,
  max: MAX_SCHEDULE,
};
const ZONE = {
  description: 'IANA name of the zone that the fields are read in. Default: UTC.',
  example: 'Europe/Berlin',
  min: 1,
  max: MAX_ZONE,
  optional: true,
};
const WINDOW = {
  description: 'Missed slots older than that are let go: an integer and m, d or y, or 0. Default: 1d.',
  example: '12m',
  min: 1,
  max: 20,
  optional: true,
};

const ARGS = { description: 'Args of each run, up to 16 KB. Default: none.', optional: true };
const ENABLED = { description: 'False: it is paused. Default: true.', optional: true };
const OVERLAP = {
  description: 'What becomes of a slot while an earlier run is open: SKIP, it waits, or it runs beside. Default: skip.',
  of: OVERLAP_POLICIES,
  optional: true,
};
const MADE_UP = {
  description: 'Which slots are made up for that no scheduler could fire in time. Default: last.',
  of: MISSED_SLOT_POLICIES,
  optional: true,
};

export class UpdateScheduleBody {
  @TextField({ description: 'The flow that runs.', min: 1, max: 100, optional: true })
  readonly flow_id?: string;

  @TextField({ ...SCHEDULE, optional: true })
  readonly schedule?: string;

  @TextField(ZONE)
  readonly timezone?: string;

  @FreeObjectField(ARGS)
  readonly args?: Record<string, unknown>;

  @LabelsField('Of the play of each run.')
  readonly labels?: Labels;

  @FlagField(ENABLED)
  readonly enabled?: boolean;

  @ChoiceField(OVERLAP)
  readonly overlap?: OverlapPolicy;

  @ChoiceField(MADE_UP)
  readonly missed?: MissedSlotPolicy;

  @TextField(WINDOW)
  readonly missed_window?: string;
}

export class CreateScheduleBody extends UpdateScheduleBody {
  @TextField({ description: 'The flow that runs.', min: 1, max: 100, example: '06dqx3v8k2m7w0r5t9ya' })
  declare readonly flow_id: string;

  @TextField(SCHEDULE)
  declare readonly schedule: string;
}

export class ScheduleQuery {
  @TextParam('Only schedules of this flow.')
  readonly flow_id?: string;
}

export class PreviewQuery {
  @NeededTextParam('Five cron fields.', MAX_SCHEDULE)
  readonly schedule: string;

  @TextParam('IANA name of the zone. Default: UTC.', MAX_ZONE)
  readonly timezone?: string;
}
