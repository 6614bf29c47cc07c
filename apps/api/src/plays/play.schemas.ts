import {
  EVENTS,
  PLAY_STATES,
  PLAY_TRIGGERS,
  type PlayError,
  type PlayFrame,
  type PlayLayerView,
  type PlayView,
} from '@weft/contracts';
import * as s from '../http/schema.js';
import type { PlayCounts } from './play-lists.service.js';

export const playSchema = s.named(
  'Play',
  s.object<PlayView>(
    {
      id: s.text,
      flowId: s.text,
      state: s.oneOf(PLAY_STATES),
      startedAt: s.timeOrNull,
      completedAt: s.timeOrNull,
      duration: { ...s.integerOrNull, description: 'Milliseconds, completedAt − startedAt.' },
      company_id: s.text,
      version: s.integer,
      args: { ...s.freeObject, description: 'Not in lists.' },
      idempotencyKey: s.textOrNull,
      trigger: s.oneOf(PLAY_TRIGGERS),
      triggeredBy: s.textOrNull,
      priority: s.integer,
      dueAt: s.timeOrNull,
      createdAt: s.time,
      error: s.orNull(s.object<PlayError>({ code: s.text, message: s.text, ref: s.textOrNull })),
      retryOf: s.textOrNull,
      parentPlayId: s.textOrNull,
      labels: s.labels,
      retrying: s.flag,
      retriedBy: {
        ...s.orNull(s.object<NonNullable<PlayView['retriedBy']>>({ playId: s.text, state: s.oneOf(PLAY_STATES) })),
        description: 'Its retry, of which it has one at most. Null: it has none, or has not failed.',
      },
      lane: { ...s.textOrNull, description: 'Of the plays of a lane one at a time has its turn. Not in lists.' },
      failureHandledBy: {
        ...s.textOrNull,
        description: 'The play that its failure started (`settings.onFailure`). Not in lists.',
      },
      handlesFailureOf: {
        ...s.textOrNull,
        description: 'The failed play that started it, or what it is a retry, rerun or child of. Not in lists.',
      },
    },
    ['args', 'lane', 'failureHandledBy', 'handlesFailureOf'],
  ),
);

export const playPageSchema = s.pageOf('Play', playSchema);

export const playCountsSchema = s.named(
  'PlayCounts',
  s.object<PlayCounts>({
    counts: s.object(Object.fromEntries(PLAY_STATES.map((state) => [state, s.integer]))),
    capped: { ...s.listOf(s.oneOf(PLAY_STATES)), description: 'States with more plays than were counted.' },
  }),
);

const FRAME_TYPES = Object.entries(EVENTS).flatMap(([type, { numbered }]) => (numbered ? [type] : []));

export const playFrameSchema = s.named(
  'PlayFrame',
  s.object<PlayFrame>({
    seq: s.integer,
    type: s.oneOf(FRAME_TYPES),
    playId: s.text,
    data: { ...s.freeObject, description: 'The fields of the event, as on the live stream.' },
  }),
);

export const playLayerSchema = s.named(
  'PlayLayer',
  s.object<PlayLayerView>(
    {
      id: s.text,
      ref: s.text,
      state: s.oneOf(PLAY_STATES.filter((state) => state !== 'ON_HOLD')),
      startedAt: s.timeOrNull,
      completedAt: s.timeOrNull,
      out: { description: 'The output; over 256 KB `{ "$ref": path, "bytes": n }`.' },
      name: s.text,
      appId: s.text,
      index: s.integer,
      attempts: { ...s.integer, description: 'Calls that are known to have ended.' },
      interruptions: {
        ...s.integer,
        description:
          'Further calls that may have been made: so often a worker was lost before the layer ended. Absent for none.',
      },
      error: s.orNull(s.object<NonNullable<PlayLayerView['error']>>({ code: s.text, message: s.text })),
      progress: s.numberOrNull,
      outBytes: s.integer,
    },
    ['interruptions'],
  ),
);
