import type { PlayState } from '@weft/contracts';
import { MISSED_SLOT_POLICIES, OVERLAP_POLICIES, type ScheduleFields } from '@weft/shapes';
import { Schema } from 'mongoose';

export const SCHEDULES = 'schedules';

/** A slot that was taken and not yet seen to be fired. */
export interface PendingSlot {
  readonly slot: Date;
  /** When a scheduler took it. */
  readonly takenAt: Date;
  /** Of the play that it becomes: whoever fires it, and however often, it is that one. Null while the slot waits for its turn. */
  readonly playId: string | null;
}

/** The newest play of the schedule, as it was last seen; its own record may be gone by now. */
export interface LastRun {
  readonly playId: string;
  /** When it was accepted. */
  readonly at: Date;
  readonly state: PlayState;
  readonly durationMs: number | null;
}

/** A flow that runs at times. All times of its slots are MongoDB's. */
export interface ScheduleDocument extends ScheduleFields {
  readonly _id: string;
  readonly company_id: string;
  readonly created_by: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  /** Counts changes by users and slots that were taken: each is made of exactly what was read. */
  readonly rev: number;
  /** The first slot that nobody has taken; null while it is paused. */
  readonly nextSlot: Date | null;
  /** Slots up to here have been taken or let go: none of them is taken again, whatever the schedule is changed to. */
  readonly takenUntil: Date | null;
  /** When a scheduler looks at it; null when nothing but the end of a play or a user can change anything. */
  readonly attendAt: Date | null;
  readonly pending: readonly PendingSlot[];
  /** Plays that were not final when they were last looked at. */
  readonly open: readonly string[];
  readonly last: LastRun | null;
  /** When its last slot came, its flow could not be run or its creator may not run it. */
  readonly rested: boolean;
  /** Names the write that took its newest slots; absent before the first. */
  readonly taker?: string;
}

export const scheduleSchema = new Schema<ScheduleDocument>(
  {
    _id: { type: String, required: true },
    company_id: { type: String, required: true },
    flow_id: { type: String, required: true },
    schedule: { type: String, required: true },
    timezone: { type: String, required: true },
    args: { type: Schema.Types.Mixed, required: true },
    labels: { type: Schema.Types.Mixed },
    enabled: { type: Boolean, required: true },
    overlap: { type: String, required: true, enum: OVERLAP_POLICIES },
    missed: { type: String, required: true, enum: MISSED_SLOT_POLICIES },
    missed_window: { type: String, required: true },
    created_by: { type: String, required: true },
    created_at: { type: Date, required: true },
    updated_at: { type: Date, required: true },
    rev: { type: Number, required: true },
    nextSlot: { type: Date, default: null },
    takenUntil: { type: Date, default: null },
    attendAt: { type: Date, default: null },
    pending: { type: [Schema.Types.Mixed], required: true },
    open: { type: [String], required: true },
    last: { type: Schema.Types.Mixed, default: null },
    rested: { type: Boolean, required: true },
    taker: { type: String },
  },
  { collection: SCHEDULES, minimize: false, versionKey: false },
);

// The list of a company, newest first, and of one flow; erasing a flow's.
scheduleSchema.index({ company_id: 1, flow_id: 1, _id: -1 });
// What schedulers look at each second.
scheduleSchema.index({ attendAt: 1 });
// Schedules with plays whose end is awaited: few of all.
scheduleSchema.index({ _id: 1, 'open.0': 1 }, { partialFilterExpression: { 'open.0': { $exists: true } } });
