import { PLAY_STATES } from '@weft/contracts';
import { z } from 'zod';

export const SUBSCRIPTIONS_MAX = 1_000;

/** What a frame is asked for by. */
export interface Told {
  readonly playId: string;
  readonly flowId: string;
  /** Null: the play itself. */
  readonly ref: string | null;
  /** Null: no state changed, which nobody asked for. */
  readonly state: string | null;
}

const names = z.array(z.string().min(1).max(200)).min(1).optional();
const states = z.array(z.enum(PLAY_STATES)).min(1).max(PLAY_STATES.length).optional();
const wish = z.strictObject({ playIds: names, flowIds: names, refs: names, states });
const message = z.discriminatedUnion('action', [
  wish.extend({ action: z.literal('subscribe') }),
  wish.extend({ action: z.literal('unsubscribe') }),
]);

type Wish = z.infer<typeof wish>;

interface Subscription {
  readonly key: string;
  /** Each set that is there has to hold what it is named for. */
  readonly sets: readonly (readonly [keyof Told, ReadonlySet<string | null>])[];
  readonly weight: number;
}

/**
 * What one socket wants to be told: everything until it subscribes, then whatever one of its subscriptions lets through.
 * Within a subscription each list that is given has to hold.
 */
export class Subscriptions {
  private all: readonly Subscription[] = [];
  /** One of them has no list. */
  private hasOneForAll = false;
  /** By what their first list names, so that a message costs a few looks and not one for each subscription. */
  private byFirst: ReadonlyMap<keyof Told, ReadonlyMap<string | null, readonly Subscription[]>> = new Map();

  /**
   * @param text a message of contract §6
   * @returns whether it was taken: `bad` is no such message, `many` would be more than a socket may have; both change nothing
   */
  apply(text: string): 'ok' | 'bad' | 'many' {
    const parsed = message.safeParse(parseJson(text));
    if (!parsed.success) return 'bad';
    const { action, ...wanted } = parsed.data;
    const subscription = subscriptionOf(wanted);
    const others = this.all.filter(({ key }) => key !== subscription.key);
    if (action === 'unsubscribe') {
      // without a list: all of them
      this.take(subscription.sets.length === 0 ? [] : others);
      return 'ok';
    }
    const weight = others.reduce((sum, one) => sum + one.weight, subscription.weight);
    if (weight > SUBSCRIPTIONS_MAX) return 'many';
    this.take([...others, subscription]);
    return 'ok';
  }

  wants(told: Told): boolean {
    if (told.state === null) return false;
    if (this.all.length === 0 || this.hasOneForAll) return true;
    for (const [first, byName] of this.byFirst) {
      const near = byName.get(told[first]);
      if (near?.some(({ sets }) => sets.every(([name, values]) => values.has(told[name])))) return true;
    }
    return false;
  }

  private take(all: readonly Subscription[]): void {
    const byFirst = new Map<keyof Told, Map<string | null, Subscription[]>>();
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
    this.byFirst = byFirst;
    this.hasOneForAll = all.some(({ sets }) => sets.length === 0);
  }
}

function subscriptionOf({ playIds, flowIds, refs, states: wanted }: Wish): Subscription {
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
