/** Every event that a client of the live streams can get, as the reference page `docs/reference/events.md` shows it. */
import type { CLOSE, FrameData, FrameType } from './frames.js';

interface FieldEntry {
  readonly type: string;
  readonly says: string;
}

interface EventEntry<T extends FrameType> {
  readonly says: string;
  /** How often it comes. */
  readonly sent: string;
  /** Whether it has a `seq`, is stored and can be replayed. */
  readonly numbered: boolean;
  readonly fields: { readonly [Field in keyof FrameData[T]]: FieldEntry };
}

const text = (says: string): FieldEntry => ({ type: 'string', says });
const number = (says: string): FieldEntry => ({ type: 'number', says });
const time = (says: string): FieldEntry => ({ type: 'time', says });

const layerId = text('`id` of the play layer: the play and the place of the layer in its flow.');
const ref = text('`ref` of the layer: its name in expressions.');
const playId = text('The play.');

/** Specification §6.1, contract §6. */
export const EVENTS: { readonly [T in FrameType]: EventEntry<T> } = {
  play_state_change: {
    says: 'The play has gone from one state to another.',
    sent: 'on each change of state',
    numbered: true,
    fields: {
      play_id: playId,
      old_status: text('The state before.'),
      new_status: text('The state now.'),
      timestamp: time('When it changed.'),
    },
  },
  layer_start: {
    says: 'A layer has started. Layers that were skipped or filtered out have no start.',
    sent: 'once a layer',
    numbered: true,
    fields: {
      layer_id: layerId,
      flowlet_name: text('`name` of the layer.'),
      ref,
      timestamp: time('When it started.'),
    },
  },
  layer_progress: {
    says: 'How far a running layer is: bytes of a web request, items of a loop, time of a delay.',
    sent: 'at most once a second a layer, between its start and its end; not of layers that end at once',
    numbered: false,
    fields: {
      layer_id: layerId,
      progress_percent: number('Whole, 0 to 100; does not fall within one attempt.'),
      status: text('The same in words, up to 200 characters.'),
      ref,
    },
  },
  layer_error: {
    says: 'An attempt of a layer has failed. Whether it is tried again, the next frames tell.',
    sent: 'once a failed attempt',
    numbered: true,
    fields: {
      layer_id: layerId,
      error_message: text('What went wrong; never with a secret in it.'),
      retry_count: number('Retries made before this attempt: 0 for the first.'),
      ref,
    },
  },
  layer_complete: {
    says: 'A layer has ended, in whichever final state.',
    sent: 'once a layer',
    numbered: true,
    fields: {
      layer_id: layerId,
      status: text('`DONE`, `FAIL`, `SKIP` or `FILTERED`.'),
      duration_ms: number('Milliseconds from its start to its end, over all attempts and pauses.'),
      output: {
        type: 'any',
        says: 'What it gave; over 16 KB `{ "$ref": path, "bytes": n }`, to be read with a GET of that path.',
      },
      ref,
    },
  },
  play_complete: {
    says: 'The play has ended. It is the last frame: the server then closes the stream of a play with 1000.',
    sent: 'once a play',
    numbered: true,
    fields: {
      play_id: playId,
      final_status: text('`DONE`, `FAIL`, `SKIP` or `FILTERED`.'),
      duration_ms: number('Milliseconds from its start to its end.'),
      kv_summary: {
        type: 'object',
        says: '`{ reads, writes, keys }` of the key-value store: how many, and the first 100 names.',
      },
    },
  },
};

/** Why the server closed a socket, and what its client is to do. */
export const CLOSE_REASONS: { readonly [Name in keyof typeof CLOSE]: string } = {
  complete: 'The play has ended and everything was sent. Do not come back.',
  goingAway: 'The server stops. Connect again from where you are.',
  tooBig: 'You sent a message over 64 KB. Send smaller ones, then connect again.',
  badMessage: 'You sent something that this stream does not understand. Mend the client.',
  sessionEnded: 'Your session or key has ended. Sign in, then come back.',
  rightLost: 'You may not read this any more. Stay away until somebody gives you the right again.',
  playDeleted: 'The play was deleted. Do not come back.',
  noPong: 'No pong came within `read_deadline_seconds`. Connect again from where you are.',
  tooSlow: 'You took nothing for `write_deadline_seconds`. Connect again from where you are.',
  tooMany:
    'More than 1,000 subscriptions of a socket: subscribe to flows instead of plays. (A socket above 100 of a user is refused with 429 before it opens.)',
};
