/** Which events of webhooks follow from a stored play: nothing but the play is needed, and nothing is written for them. */
import type { PlayError, PlayState } from '@weft/contracts';
import { framesOf, shownOutput, startedAtOf, toLabels, type LogEntry, type Play } from '@weft/engine';
import { EVENT_OF_STATE, type PLAY_EVENTS, type WebhookEventType } from '@weft/shapes';

type PlayEventType = (typeof PLAY_EVENTS)[number];

/** What of a play its events are made of. */
export type EventSource = Pick<Play, '_id' | 'flowId' | 'log' | 'completedAt' | 'error' | 'layers' | 'labels'>;

export interface PlayEvent {
  readonly type: PlayEventType;
  /** Number of the frame in the play's own stream that shows the same change; 0: the play was accepted, which has none. */
  readonly seq: number;
  /** Number of the log entry. */
  readonly entry: number;
  readonly at: Date;
  readonly state: PlayState;
}

/** Data of an event about a play. */
export interface PlayEventData {
  readonly playId: string;
  readonly flowId: string;
  readonly seq: number;
  readonly state: PlayState;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  readonly duration: number | null;
  readonly error: PlayError | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly url: string;
  readonly out?: unknown;
}

const TYPE_OF_STATE: Readonly<Partial<Record<PlayState, PlayEventType>>> = EVENT_OF_STATE;

/** The events of the log entries after number `from`, up to `to`. */
export function eventsOfPlay(log: readonly LogEntry[], from: number, to: number): PlayEvent[] {
  const isAsked = (entry: LogEntry) => entry.seq > from && entry.seq <= to;
  const [first] = log;
  const events: PlayEvent[] =
    first?.type === 'accepted' && isAsked(first)
      ? [{ type: 'play.accepted', seq: 0, entry: first.seq, at: first.at, state: 'NEW' }]
      : [];
  for (const { frameSeq, entry } of framesOf(log)) {
    const type = entry.type === 'state' && isAsked(entry) ? TYPE_OF_STATE[entry.state] : undefined;
    if (entry.type !== 'state' || !type) continue;
    events.push({ type, seq: frameSeq, entry: entry.seq, at: entry.at, state: entry.state });
  }
  return events;
}

/**
 * @param base public address of the API
 * @param includeOut whether the event of an end includes the output of the layer that ended last
 */
export function dataOf(play: EventSource, event: PlayEvent, base: string, includeOut: boolean): PlayEventData {
  const isEnd = event.type !== 'play.accepted' && event.type !== 'play.waiting';
  const started = event.type === 'play.accepted' ? null : startedAtOf(play);
  const completed = isEnd ? (play.completedAt ?? null) : null;
  return {
    playId: play._id,
    flowId: play.flowId,
    seq: event.seq,
    state: event.state,
    startedAt: started?.toISOString() ?? null,
    completedAt: completed?.toISOString() ?? null,
    duration: started && completed ? completed.getTime() - started.getTime() : null,
    error: event.type === 'play.failed' ? (play.error ?? null) : null,
    labels: toLabels(play.labels),
    url: `${base}/api/v1/plays/${play._id}`,
    ...(includeOut && isEnd && { out: outOf(play) }),
  };
}

function outOf(play: EventSource): unknown {
  const result = play.layers.at(-1);
  return result ? shownOutput(play._id, result) : null;
}

/** The JSON text of an event: these are the bytes that are signed and sent. */
export function eventBody(type: WebhookEventType, at: Date, data: object): string {
  return JSON.stringify({ type, timestamp: at.toISOString(), data });
}
