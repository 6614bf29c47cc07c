import { PLAY_STATES } from '@weft/contracts';
import { z } from 'zod';

export const MAX_SUBSCRIPTIONS = 1_000;

/** The fields of a frame that subscriptions match. */
export interface SubscriptionSubject {
  readonly playId: string;
  readonly flowId: string;
  /** Null: the play itself. */
  readonly ref: string | null;
  /** Null: no state changed; no subscription matches that. */
  readonly state: string | null;
}

const names = z.array(z.string().min(1).max(200)).min(1).optional();
const states = z.array(z.enum(PLAY_STATES)).min(1).max(PLAY_STATES.length).optional();
const filterSchema = z.strictObject({ playIds: names, flowIds: names, refs: names, states });
const messageSchema = z.discriminatedUnion('action', [
  filterSchema.extend({ action: z.literal('subscribe') }),
  filterSchema.extend({ action: z.literal('unsubscribe') }),
]);

type SubscriptionFilter = z.infer<typeof filterSchema>;

interface Subscription {
  readonly key: string;
  /** A subject matches when each set contains its field of that name. */
  readonly sets: readonly (readonly [keyof SubscriptionSubject, ReadonlySet<string | null>])[];
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
    const parsed = messageSchema.safeParse(parseJson(text));
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
    if (this.all.length === 0 || this.hasUnfiltered) return true;
    for (const [first, byName] of this.byFirstField) {
      const near = byName.get(subject[first]);
      if (near?.some(({ sets }) => sets.every(([name, values]) => values.has(subject[name])))) return true;
    }
    return false;
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
    this.hasUnfiltered = all.some(({ sets }) => sets.length === 0);
  }
}

function subscriptionOf({ playIds, flowIds, refs, states: wanted }: SubscriptionFilter): Subscription {
  const lists = [
    ['playId', playIds],
    ['flowId', flowIds],
    ['ref', refs],
    ['state', wanted],
  ] as const;
  const sets = lists.flatMap(([name, values]) => (values ? [[name, new Set<string | null>(values)] as const] : []));
  const key = JSON.stringify(sets.map(([name, values]) => [name, [...values].sort()]));
  return {
    key,
    sets,
    weight: Math.max(
      1,
      sets.reduce((sum, [, values]) => sum + values.size, 0),
    ),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
