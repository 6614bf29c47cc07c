/**
 * How one call of one layer ended, and what a layer may wait for. The code that runs layers reports it; the session decides
 * on it.
 */
import type { DoneItems, LayerResult } from './play.js';
import type { PeerAnswer } from './session/retry-on.js';

/**
 * What a layer waits for; stored while it does, so that `since` and `until` stay what they were across crashes, holds and
 * restarts. Those of `PAUSES` are the engine's own: the pause before a call, which no answer ends.
 */
export interface LayerWait {
  readonly position: number;
  readonly ref: string;
  readonly kind: 'delay' | 'event' | 'approval' | Pause;
  readonly since: Date;
  /** When the layer is asked again without an answer; null = never. Of one that waits for plays: when it was set going. */
  readonly until: Date | null;
  /** Of a pause before a call: whom the layer was about to call, as `host:port` or the id of a link. */
  readonly destination?: string;
  /** Of a loop: the last item that has failed. Later ones have all their attempts; left out: it is not known. */
  readonly failedUpTo?: number;
  /** Of a layer that works in steps: the one that waits. */
  readonly step?: number;
  /** Which event: of any key when `key` is null. */
  readonly event?: { readonly name: string; readonly key: string | null };
  /** Of a layer that has started a play, or of a loop whose items start plays. */
  readonly children?: {
    readonly open: number;
    /** It is called again when this many of them have ended. */
    readonly wakeAfter: number;
    /** Of a loop: the last item whose play has been started. */
    readonly upTo?: number;
    /** Of a layer without a loop: the only one. */
    readonly playId?: string;
  };
  readonly approval?: {
    readonly message: string;
    /** User and group ids. */
    readonly approvers: readonly string[];
    readonly onTimeout: 'fail' | 'approve' | 'reject';
    /** Who decides with a link to it; left out: whoever signs in and may. */
    readonly link?: 'signed_in' | 'holder';
  };
}

/**
 * Before the next attempt; until a rate limit lets the call through; until its destination can be reached again; until plays
 * have ended that the layer has started; between two rounds.
 */
const PAUSES = ['retry', 'rate_limit', 'destination_down', 'children', 'repeat'] as const;
type Pause = (typeof PAUSES)[number];

/** Whether these are one wait of a layer. A loop that has stored the ends of some plays waits for others since then. */
export function isSameWait(one: LayerWait, other: LayerWait): boolean {
  const isForSame = one.kind === other.kind && areSame(one.children, other.children);
  return isForSame && one.step === other.step && one.since.getTime() === other.since.getTime();
}

function areSame(some: LayerWait['children'], others: LayerWait['children']): boolean {
  if (!some || !others) return some === others;
  return some.open === others.open && some.wakeAfter === others.wakeAfter && some.upTo === others.upTo;
}

/** Whether the layer is called when the wait is over, as if it had not waited. */
export function isPause(kind: LayerWait['kind']): kind is Pause {
  return (PAUSES as readonly string[]).includes(kind);
}

/** Whether its time says when the wait ends, and nobody is waited for: its play is DEFERRED. */
export function isTimed(kind: LayerWait['kind']): boolean {
  return kind === 'delay' || (isPause(kind) && kind !== 'children');
}

export type LayerOutcome =
  | {
      readonly kind: 'result';
      readonly result: LayerResult;
      /** What follows for later layers: those that will not run (a branch), or all of them (a filter). */
      readonly then?: { readonly skip: readonly string[] } | { readonly filterRest: true };
      /** Of a failed call: what the peer answered, which decides on the next attempt. */
      readonly peer?: PeerAnswer;
      /** Of a failed call: what the layer has done. It is stored with the failure, for the next call or for a retry of the play. */
      readonly doneItems?: DoneItems;
      /** Of a failed call: see `LayerWait`. */
      readonly failedUpTo?: number;
    }
  | {
      readonly kind: 'wait';
      readonly wait: LayerWait;
      /** What the layer has done before it waits; it is stored with the wait. */
      readonly doneItems?: DoneItems;
      /** Since its failed calls a page or a round has succeeded: the next one has all its attempts. */
      readonly hasMovedOn?: boolean;
    };

/** What `Play.waitsFor` holds for an open wait for this event. */
export function eventTopic(name: string, key: string | null): string {
  return `event:${name}\n${key ?? ''}`;
}

/** What `Play.waitsFor` holds while a layer waits until this destination can be reached. */
export function destinationTopic(destination: string): string {
  return `destination:${destination}`;
}

/** What it holds while a layer waits for room in the rate limit of this destination, or of a link that calls it. */
export function limitTopic(destination: string): string {
  return `limit:${destination}`;
}

/** The topics that an event answers: who waits for its key, and who waits for any. */
export function topicsOfEvent(name: string, key: string | null): string[] {
  return key === null ? [eventTopic(name, null)] : [eventTopic(name, key), eventTopic(name, null)];
}

/** The positions that wait for one of these topics, at `at` already if it is given, and have no answer yet. */
export function positionsWaitingFor(
  play: {
    readonly waits?: Readonly<Record<string, Pick<LayerWait, 'position' | 'since' | 'event'>>>;
    readonly inbox?: Readonly<Record<string, unknown>>;
  },
  topics: readonly string[],
  at?: Date,
): number[] {
  return Object.values(play.waits ?? {})
    .filter(({ event, since }) => event && topics.includes(eventTopic(event.name, event.key)) && !(at && since > at))
    .map(({ position }) => position)
    .filter((position) => !Object.hasOwn(play.inbox ?? {}, String(position)));
}
