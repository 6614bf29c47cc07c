/** Every event that a client of the live streams can receive; the source of the reference page `docs/reference/events.md`. */
import type { CLOSE, FrameData, FrameType } from './frames.js';

interface FieldEntry {
  readonly type: string;
  readonly says: string;
}

interface EventEntry<T extends FrameType> {
  readonly says: string;
  /** How often it is sent. */
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

/** All events: docs/http-api.md §6. */
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
    sent: 'once per layer',
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
    sent: 'at most once per second and layer, between its start and its end; not for layers that end at once',
    numbered: false,
    fields: {
      layer_id: layerId,
      progress_percent: number('Whole, 0 to 100; never decreases within one attempt.'),
      status: text('The same in words, up to 200 characters.'),
      ref,
    },
  },
  layer_delta: {
    says: 'What a model says in a running layer `agent`, as it arrives. What it has said is a step of the layer once the answer is whole.',
    sent: 'at most four times per second and layer, while somebody watches the play',
    numbered: false,
    fields: {
      layer_id: layerId,
      answer: number('Which answer of the model in this layer: 0 for the first.'),
      at: number(
        'Characters of the answer before this text. 0: it begins, perhaps again. More than were received: those between were left out.',
      ),
      text: text('What follows them, up to 16,000 characters, without secrets.'),
      ref,
    },
  },
  layer_error: {
    says: 'An attempt of a layer has failed. The next frames show whether it is tried again.',
    sent: 'once per failed attempt',
    numbered: true,
    fields: {
      layer_id: layerId,
      error_message: text('What went wrong; never contains a secret.'),
      retry_count: number('Retries made before this attempt: 0 for the first.'),
      ref,
    },
  },
  layer_complete: {
    says: 'A layer has ended, in whichever final state.',
    sent: 'once per layer',
    numbered: true,
    fields: {
      layer_id: layerId,
      status: text('`DONE`, `FAIL`, `SKIP` or `FILTERED`.'),
      duration_ms: number('Milliseconds from its start to its end, over all attempts and pauses.'),
      output: {
        type: 'any',
        says: 'Its output; over 16 KB `{ "$ref": path, "bytes": n }`, to be read with a GET of that path.',
      },
      ref,
    },
  },
  play_complete: {
    says: 'The play has ended. It is the last frame: the server then closes the stream of a play with 1000.',
    sent: 'once per play',
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

/** Why the server closed a socket, and what the client should do. */
export const CLOSE_REASONS: { readonly [Name in keyof typeof CLOSE]: string } = {
  complete: 'The play has ended and everything was sent. Do not come back.',
  goingAway: 'The server stops. Connect again from where you are.',
  tooBig: 'You sent a message over 64 KB. Send smaller ones, then connect again.',
  badMessage: 'You sent a message that is not part of the protocol. Fix the client.',
  sessionEnded: 'Your session or key has ended. Sign in, then come back.',
  rightLost: 'You may not read this any more. Do not connect again until somebody grants you the right.',
  playDeleted: 'The play was deleted. Do not come back.',
  noPong: 'No pong came within `read_deadline_seconds`. Connect again from where you are.',
  tooSlow: 'You took no message for `write_deadline_seconds`. Connect again from where you are.',
  tooMany:
    'The socket has more than 1,000 subscriptions: subscribe to flows instead of plays. (A user with 100 open sockets gets 429 for the next one, before it opens.)',
};
