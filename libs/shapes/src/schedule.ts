/** A schedule as people write it: docs/schedules.md. */
import { z } from 'zod';
import { freeObject } from './bounds.js';
import { labelsShape } from './labels.js';
import type { Plain } from './plain.js';

export const OVERLAP_POLICIES = ['skip', 'queue', 'allow'] as const;
export const MISSED_SLOT_POLICIES = ['none', 'last', 'all'] as const;

export const scheduleShape = z.strictObject({
  flow_id: z
    .string()
    .min(1)
    .max(100)
    .meta({ description: 'The flow that runs.', examples: ['06dqx3v8k2m7w0r5t9ya'] }),
  schedule: z
    .string()
    .min(1)
    .max(200)
    .trim()
    .meta({
      description: 'Five cron fields: minute, hour, day of month, month, day of week.',
      examples: ['30 6 * * 1-5'],
    }),
  timezone: z
    .string()
    .min(1)
    .max(64)
    .default('UTC')
    .meta({
      description: 'IANA name of the zone that the fields are read in. Default: UTC.',
      examples: ['Europe/Berlin'],
    }),
  args: freeObject.default({}).describe('Args of each run, up to 16 KB. Default: none.'),
  labels: labelsShape.optional().describe('Of the play of each run.'),
  enabled: z.boolean().default(true).describe('False: it is paused. Default: true.'),
  overlap: z
    .enum(OVERLAP_POLICIES)
    .default('skip')
    .describe('What becomes of a slot while an earlier run is open: SKIP, it waits, or it runs beside. Default: skip.'),
  missed: z
    .enum(MISSED_SLOT_POLICIES)
    .default('last')
    .describe('Which slots are made up for that no scheduler could fire in time. Default: last.'),
  missed_window: z
    .string()
    .min(1)
    .max(20)
    .default('1d')
    .meta({
      description: 'Missed slots older than that are let go: an integer and m, d or y, or 0. Default: 1d.',
      examples: ['12m'],
    }),
});

/** What users say of a schedule; labels are left out when it has none. */
export type ScheduleFields = Plain<z.output<typeof scheduleShape>>;
