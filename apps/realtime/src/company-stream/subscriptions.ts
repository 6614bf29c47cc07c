import { PLAY_STATES } from '@weft/contracts';
import { parseJson } from '@weft/kernel';
import { z } from 'zod';
import type { FrameKind } from './company-frame.js';

export const MAX_SUBSCRIPTIONS = 1_000;

/** The fields of a frame that subscriptions match. */
export interface SubscriptionSubject {
  readonly playId: string;
  readonly flowId: string;
  /** Null: the play itself. */
  readonly ref: string | null;
  /** Null: no state changed; no subscription matches that. */
  readonly state: string | null;
  readonly kind: FrameKind;
}

const names = z.array(z.string().min(1).max(200)).min(1).optional();
const states = z.array(z.enum(PLAY_STATES)).min(1).max(PLAY_STATES.length).optional();
export const kindsSchema = z
  .array(z.enum(['play', 'layer']))
  .min(1)
  .max(2)
  .optional();
const filterSchema = z.strictObject({ playIds: names, flowIds: names, refs: names, states, kinds: kindsSchema });
const messageSchema = z.discriminatedUnion('action', [
  filterSchema.extend({ action: z.literal('subscribe') }),
  filterSchema.extend({ action: z.literal('unsubscribe') }),
]);

type SubscriptionFilter = z.infer<typeof filterSchema>;

interface Subscription {
  readonly key: string;
  /** A subject matches when each set contains its field of that name. */
  readonly sets: readonly (readonly [keyof SubscriptionSubject, ReadonlySet<string | null>])[];
  /** Whether it names the kinds that it wants. */
  readonly hasKinds: boolean;
  readonly weight: number;
}

/**
 * What one socket has subscribed to: everything until it subscribes, then each frame that one of its subscriptions
 * matches. Within a subscription every list that is given must match.
 */
export class Subscriptions {
  private all: readonly Subscription[] = [];
  /** Whether one of the subscriptions has no list. */
  private hasUnfiltered = false;
  private wantsAcceptances = false;
  /**
   * Subscriptions by the values of their first list, so that a frame costs a few lookups and not one for each
   * subscription.
   */
  private byFirstField: ReadonlyMap<keyof SubscriptionSubject, ReadonlyMap<string | null, readonly Subscription[]>> =
    new Map();

  /**
   * @param text a message of docs/http-api.md §6
   * @returns `bad`: not such a message; `many`: more subscriptions than a socket may have; both change nothing
   */
  apply(text: string): 'ok' | 'bad' | 'many' {
    const parsed = messageSchema.safeParse(jsonIn(text));
    if (!parsed.success) return 'bad';
    const { action, ...wanted } = parsed.data;
    const subscription = subscriptionOf(wanted);
    const others = this.all.filter(({ key }) => key !== subscription.key);
    if (action === 'unsubscribe') {
      // without a list: removes all of them
      this.replaceAll(subscription.sets.length === 0 ? [] : others);
      return 'ok';
    }
    const weight = others.reduce((sum, one) => sum + one.weight, subscription.weight);
    if (weight > MAX_SUBSCRIPTIONS) return 'many';
    this.replaceAll([...others, subscription]);
    return 'ok';
  }

  wants(subject: SubscriptionSubject): boolean {
    if (subject.state === null) return false;
    if (this.all.length === 0 || this.hasUnfiltered) return subject.kind !== 'acceptance' || this.matches(subject);
    return this.matches(subject);
  }

  private matches(subject: SubscriptionSubject): boolean {
    for (const [first, byName] of this.byFirstField) {
      const near = byName.get(subject[first]);
      if (near?.some((one) => holds(one, subject))) return true;
    }
    return false;
  }

  /** Whether one of them wants to know of plays that were only accepted. */
  get takeAcceptances(): boolean {
    return this.wantsAcceptances;
  }

  private replaceAll(all: readonly Subscription[]): void {
    const byFirst = new Map<keyof SubscriptionSubject, Map<string | null, Subscription[]>>();
    for (const one of all) {
      const [first] = one.sets;
      if (!first) continue;
      const [name, values] = first;
      const byName = byFirst.get(name) ?? new Map<string | null, Subscription[]>();
      byFirst.set(name, byName);
      for (const value of values) {
        const near = byName.get(value);
        if (near) near.push(one);
        else byName.set(value, [one]);
      }
    }
    this.all = all;
    this.byFirstField = byFirst;
    this.wantsAcceptances = all.some(({ sets }) =>
      sets.some(([name, values]) => name === 'kind' && values.has('acceptance')),
    );
    this.hasUnfiltered = all.some(({ sets }) => sets.length === 0);
  }
}

/** Clients that do not know of kinds know nothing of acceptances. */
function holds({ sets, hasKinds }: Subscription, subject: SubscriptionSubject): boolean {
  if (subject.kind === 'acceptance' && !hasKinds) return false;
  return sets.every(([name, values]) => values.has(subject[name]));
}

/** Who wants the states of plays gets the first one, too. */
export function frameKinds(kinds: z.infer<typeof kindsSchema>): readonly FrameKind[] | undefined {
  return kinds?.includes('play') ? [...kinds, 'acceptance'] : kinds;
}

function subscriptionOf({ playIds, flowIds, refs, states: wanted, kinds }: SubscriptionFilter): Subscription {
  const lists = [
    ['playId', playIds],
    ['flowId', flowIds],
    ['ref', refs],
    ['state', wanted],
    ['kind', frameKinds(kinds)],
  ] as const;
  const sets = lists.flatMap(([name, values]) => (values ? [[name, new Set<string | null>(values)] as const] : []));
  const key = JSON.stringify(sets.map(([name, values]) => [name, [...values].sort()]));
  return {
    key,
    sets,
    hasKinds: kinds !== undefined,
    weight: Math.max(
      1,
      sets.reduce((sum, [, values]) => sum + values.size, 0),
    ),
  };
}

function jsonIn(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
