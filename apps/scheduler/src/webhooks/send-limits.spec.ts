import type { OutboxLease, WebhookOutboxesRepository } from '@weft/persistence';
import { describe, expect, it } from 'vitest';
import { OutboxLeases } from './outbox-leases.js';
import { CompanySlots, SendLimits } from './send-limits.js';

describe('an endpoint', () => {
  const rates = { max_in_flight: 8, ordered: false, rate_per_second: null };

  it('has half as many attempts in flight after each one that fails for want of an answer, down to one', () => {
    const limits = new SendLimits(rates, () => 0);
    const allowed = [8, 4, 2, 1, 1].map(() => {
      const now = limits.inFlight;
      limits.slowDown(null);
      return now;
    });
    expect(allowed).toEqual([8, 4, 2, 1, 1]);
    for (let i = 0; i < 20; i += 1) limits.succeeded();
    expect(limits.inFlight).toBe(8);
    expect(new SendLimits({ ...rates, ordered: true }, () => 0).inFlight).toBe(1);
  });

  it('is left alone for as long as it asks, up to a quarter of an hour', () => {
    let now = 0;
    const limits = new SendLimits(rates, () => now);
    limits.slowDown(5_000);
    expect(limits.take()).toBe(5_000);
    now = 5_000;
    expect(limits.take()).toBe(0);
    limits.slowDown(86_400_000);
    expect(limits.take()).toBe(900_000);
  });

  it('gets no more attempts a second than it may', () => {
    let now = 0;
    const limits = new SendLimits({ ...rates, rate_per_second: 10 }, () => now);
    let sent = 0;
    for (; now < 10_000; now += 7) if (limits.take() === 0) sent += 1;
    expect(sent).toBeGreaterThanOrEqual(100);
    expect(sent).toBeLessThanOrEqual(110);
  });
});

it('a company has a bounded number of attempts in flight', () => {
  const slots = new CompanySlots(2);
  expect([slots.take(), slots.take(), slots.take()]).toEqual([true, true, false]);
  slots.giveBack();
  expect([slots.take(), slots.inFlight]).toEqual([true, 2]);
});

/** Leases in memory. */
class Outboxes {
  readonly stored = new Map<string, { owner: string | null; beat: number }>();
  isAway = false;
  leases(): Promise<OutboxLease[]> {
    return this.answer([...this.stored].map(([_id, lease]) => ({ _id, ...lease })));
  }
  take(_scope: unknown, { _id, owner, beat }: OutboxLease, by: string): Promise<boolean> {
    const now = this.stored.get(_id);
    const isSame = now?.owner === owner && now.beat === beat;
    if (isSame) this.stored.set(_id, { owner: by, beat: beat + 1 });
    return this.answer(isSame);
  }
  renew(_scope: unknown, ids: readonly string[], by: string): Promise<ReadonlySet<string>> {
    const mine = ids.filter((id) => this.stored.get(id)?.owner === by);
    for (const id of mine) this.stored.set(id, { owner: by, beat: (this.stored.get(id)?.beat ?? 0) + 1 });
    return this.answer(new Set(mine));
  }
  giveBack(_scope: unknown, ids: readonly string[]): Promise<void> {
    for (const id of ids) this.stored.set(id, { owner: null, beat: (this.stored.get(id)?.beat ?? 0) + 1 });
    return this.answer(undefined);
  }
  private answer<T>(value: T): Promise<T> {
    return this.isAway ? Promise.reject(new Error('away')) : Promise.resolve(value);
  }
}

describe('the lease of a company', () => {
  const world = () => {
    const outboxes = new Outboxes();
    outboxes.stored.set('c', { owner: null, beat: 0 });
    const clock = { now: 0 };
    const scheduler = (name: string) =>
      new OutboxLeases(outboxes as unknown as WebhookOutboxesRepository, name, () => clock.now);
    return { outboxes, clock, one: scheduler('one'), two: scheduler('two') };
  };

  it('is one scheduler’s while it renews it', async () => {
    const { clock, one, two } = world();
    for (; clock.now < 60_000; clock.now += 2_000) {
      await one.pass();
      await two.pass();
      expect([one.isProven('c'), two.isProven('c')]).toEqual([true, false]);
    }
  });

  it('goes to another one that has watched it stand still, after the first has stopped sending', async () => {
    const { clock, one, two } = world();
    await one.pass();
    let taken = 0;
    for (; clock.now < 30_000 && taken === 0; clock.now += 2_000) {
      await two.pass();
      if (two.isProven('c')) taken = clock.now;
      expect(one.isProven('c') && two.isProven('c')).toBe(false);
    }
    expect(taken).toBe(12_000);
    await one.pass();
    expect([one.owned, two.owned]).toEqual([[], ['c']]);
  });

  it.each([20_000, 60_000])(
    'stays where it is when all stood still for %i ms, whoever goes on first',
    async (forMs) => {
      const { clock, one, two } = world();
      await one.pass();
      await two.pass();
      for (let i = 0; i < 5; i += 1) {
        clock.now += forMs;
        await two.pass();
        clock.now += 2_000;
        await two.pass();
        await one.pass();
        expect([one.owned, two.owned]).toEqual([['c'], []]);
      }
    },
  );

  it('stays where it is when the one that watches stood still between its question and the answer', async () => {
    const { outboxes, clock, one, two } = world();
    await one.pass();
    await two.pass();
    const leases = outboxes.leases.bind(outboxes);
    outboxes.leases = async (...args: Parameters<typeof leases>) => {
      const found = await leases(...args);
      clock.now += 60_000;
      return found;
    };
    await two.pass();
    expect(two.owned).toEqual([]);
  });

  it('proves nothing while MongoDB does not answer', async () => {
    const { outboxes, clock, one } = world();
    await one.pass();
    outboxes.isAway = true;
    await expect(one.pass()).rejects.toThrow('away');
    clock.now = 8_000;
    expect(one.isProven('c')).toBe(false);
    outboxes.isAway = false;
    await one.pass();
    expect(one.isProven('c')).toBe(true);
  });

  it('is free at once when it was given back', async () => {
    const { one, two } = world();
    await one.pass();
    await one.giveBack();
    await two.pass();
    expect(two.owned).toEqual(['c']);
  });
});
