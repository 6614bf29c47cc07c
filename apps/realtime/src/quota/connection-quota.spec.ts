import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConnectionQuota, type ConnectionCounts } from './connection-quota.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** @param elsewhere sockets of every user at the other gateways; null: unknown */
function fixture(elsewhere: number | null, perUser = 2) {
  const told: Record<string, number>[] = [];
  let onLoss: () => void = () => undefined;
  const census: ConnectionCounts = {
    claim: () => Promise.resolve(elsewhere),
    publish: (counts) => (told.push(Object.fromEntries(counts)), Promise.resolve()),
    onLoss: (listener) => ((onLoss = listener), () => (onLoss = () => undefined)),
  };
  return { places: new ConnectionQuota(census, perUser, 1_000), told, lose: () => onLoss() };
}

const refusal = (open: number) => ({
  code: 'too_many_sockets',
  status: 429,
  retryAfterSeconds: 5,
  message: `You have ${open} open sockets, as many as a user may have. Close one.`,
});

describe('the places of a user', () => {
  it('are so many over all gateways, and one that is freed is free once', async () => {
    const { places } = fixture(1, 3);
    const free = await places.reserve('u1');
    await places.reserve('u1');
    await places.reserve('u2');
    await expect(places.reserve('u1')).rejects.toMatchObject(refusal(3));
    free();
    free();
    await places.reserve('u1');
    await expect(places.reserve('u1')).rejects.toMatchObject(refusal(3));
  });

  it('are those of this gateway while nobody can tell of the others', async () => {
    const { places } = fixture(null);
    await places.reserve('u1');
    await places.reserve('u1');
    await expect(places.reserve('u1')).rejects.toMatchObject(refusal(2));
  });

  it('are not more when many ask at once', async () => {
    const { places } = fixture(0);
    const asked = await Promise.allSettled(Array.from({ length: 5 }, () => places.reserve('u1')));
    expect(asked.map(({ status }) => status).sort()).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
      'rejected',
    ]);
  });

  it('are told of once a period and after a loss, and those who left a turn of the loop together', async () => {
    const { places, told, lose } = fixture(0);
    const [first, second] = [await places.reserve('u1'), await places.reserve('u1')];
    const third = await places.reserve('u2');
    vi.advanceTimersByTime(1_000);
    lose();
    expect(told.splice(0)).toEqual([
      { u1: 2, u2: 1 },
      { u1: 2, u2: 1 },
    ]);
    for (const free of [first, third]) free();
    await vi.advanceTimersByTimeAsync(0);
    expect(told.splice(0)).toEqual([{ u1: 1, u2: 0 }]);
    await places.close();
    second();
    await vi.advanceTimersByTimeAsync(2_000);
    lose();
    expect(told).toEqual([{ u1: 0 }, { u1: 0 }]);
  });
});
