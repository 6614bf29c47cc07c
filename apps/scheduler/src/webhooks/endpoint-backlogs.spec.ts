import { TenantScope } from '@weft/store';
import { type PendingCounts, type WebhookDocument } from '@weft/records';
import { describe, expect, it } from 'vitest';
import { EndpointBacklogs } from './endpoint-backlogs.js';

const scope = new TenantScope('c');
const WORKS = { _id: 'w', failing_since: null } as WebhookDocument;
const FAILS = { ...WORKS, failing_since: new Date() };

/** An endpoint with at most ten due deliveries and fifty pending ones, which is counted anew whenever `now` has moved on. */
function setUp(counts: PendingCounts) {
  const world = { counts, now: 0, hurried: 0, left: 0 };
  const deliveries = {
    countPending: () => Promise.resolve(world.counts),
    hurry: () => {
      world.hurried += 1;
      return Promise.resolve(world.left);
    },
  };
  const backlogs = new EndpointBacklogs(deliveries, 10, () => world.now);
  const after = (next: PendingCounts): void => {
    world.counts = next;
    world.now += 20_000;
  };
  return { world, backlogs, after };
}

describe('the backlog of an endpoint', () => {
  it.each([
    { due: 0, all: 40, isFull: false },
    { due: 9, all: 49, isFull: false },
    { due: 10, all: 10, isFull: true },
    { due: 0, all: 50, isFull: true },
  ])('of which $due of $all are due: full is $isFull', async ({ isFull, ...counts }) => {
    expect(await setUp(counts).backlogs.isFull(scope, 'w')).toBe(isFull);
  });

  it('is full when enough was added since it was counted', async () => {
    const { backlogs } = setUp({ due: 0, all: 45 });
    expect(await backlogs.isFull(scope, 'w')).toBe(false);
    backlogs.add('w', 4);
    expect(await backlogs.isFull(scope, 'w')).toBe(false);
    backlogs.add('w', 1);
    expect(await backlogs.isFull(scope, 'w')).toBe(true);
  });

  it.each([
    { due: 5, all: 5, hasRoom: false },
    { due: 4, all: 44, hasRoom: true },
    { due: 0, all: 45, hasRoom: false },
  ])('of which $due of $all are due: room for events in the log is $hasRoom', async ({ hasRoom, ...counts }) => {
    expect(await setUp(counts).backlogs.hasRoom(scope, WORKS)).toBe(hasRoom);
  });

  it('is made due where only repeats keep events in the log, at a receiver that works, and not without end', async () => {
    const { world, backlogs, after } = setUp({ due: 5, all: 50 });
    world.left = 1_000;
    await backlogs.hasRoom(scope, WORKS);
    after({ due: 0, all: 50 });
    await backlogs.hasRoom(scope, FAILS);
    expect(world.hurried).toBe(0);
    for (let pass = 0; pass < 3; pass += 1) await backlogs.hasRoom(scope, WORKS);
    expect(world.hurried).toBe(1);
    after({ due: 0, all: 50 });
    await backlogs.hasRoom(scope, WORKS);
    expect(world.hurried).toBe(2);
  });

  it.each([
    { left: 1_000, hurried: 2 },
    { left: 999, hurried: 1 },
  ])('is made due again once it is counted, if there were more repeats than $left', async ({ left, hurried }) => {
    const { world, backlogs } = setUp({ due: 0, all: 50 });
    world.left = left;
    await backlogs.hasRoom(scope, FAILS);
    world.now = 5_000;
    await backlogs.hasRoom(scope, WORKS);
    world.now = 10_000;
    await backlogs.hasRoom(scope, WORKS);
    expect(world.hurried).toBe(hurried);
  });
});
