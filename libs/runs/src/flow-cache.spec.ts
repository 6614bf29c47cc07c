import { FRESH_MS, ProcessCache } from '@weft/concurrency';
import { TenantScope, type SystemScope } from '@weft/store';
import { type RunnableContent, type RunnableRow } from '@weft/records';
import { SETTINGS } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { FlowCache, type RunnableFlow } from './flow-cache.js';

const company = new TenantScope('company-a');
const stranger = new TenantScope('company-b');

function row(id: string, version = 1): RunnableRow {
  return {
    _id: id,
    company_id: 'company-a',
    version,
    name: id,
    enabled: true,
    isBlueprint: false,
    restricted: false,
    createdBy: 'u',
    groupId: null,
    settings: SETTINGS,
    when: null,
  };
}

/** A cache over a store that the test answers for, a clock that the test sets and a bus on which it publishes. */
function setUp() {
  const queries: { ids: readonly string[]; answer: (rows: RunnableRow[]) => void; fail: (error: Error) => void }[] = [];
  const named: { version: number; answer: (content: RunnableContent | null) => void }[] = [];
  const state = { now: 0, ring: (_id: string): void => undefined };
  const flows = {
    findRunnable: (_scope: SystemScope, ids: readonly string[]) =>
      new Promise<RunnableRow[]>((answer, fail) => void queries.push({ ids, answer, fail })),
    findRunnableContent: (_scope: TenantScope, _id: string, version: number) =>
      new Promise<RunnableContent | null>((answer) => void named.push({ version, answer })),
  };
  const bus = {
    on: (_kind: unknown, listener: (id: string) => void) => {
      state.ring = listener;
      return () => undefined;
    },
  };
  const monotonicMs = () => state.now;
  const memory = new ProcessCache({ maxBytes: 100_000, onEvicted: () => undefined, monotonicMs });
  const cache = new FlowCache(flows, { monotonicMs }, bus, memory);
  return { cache, queries, named, state };
}

/** Lets microtasks run until the next query was sent. */
async function nextQuery(queries: readonly unknown[], count: number): Promise<void> {
  while (queries.length < count) await Promise.resolve();
}

async function warm(setup: ReturnType<typeof setUp>, id: string): Promise<void> {
  const asked = setup.cache.get(company, id);
  await nextQuery(setup.queries, 1);
  setup.queries[0]?.answer([row(id)]);
  await asked;
}

describe('FlowCache', () => {
  it('answers at once while the flow is younger than a second, and asks again after', async () => {
    const setup = setUp();
    await warm(setup, 'f');
    setup.state.now = FRESH_MS - 1;
    expect(setup.cache.get(company, 'f')).toMatchObject({ id: 'f', version: 1 });
    setup.state.now = FRESH_MS;
    const asked = setup.cache.get(company, 'f');
    expect(asked).toBeInstanceOf(Promise);
    await nextQuery(setup.queries, 2);
    setup.queries[1]?.answer([row('f', 2)]);
    expect(await asked).toMatchObject({ version: 2 });
    expect(setup.cache.get(company, 'f')).toMatchObject({ version: 2 });
  });

  it('asks for all flows of one moment in one query, and for later ones after its answer', async () => {
    const { cache, queries } = setUp();
    const first = ['a', 'b', 'a'].map(async (id) => cache.get(company, id));
    await nextQuery(queries, 1);
    const later = ['c', 'd'].map(async (id) => cache.get(company, id));
    expect(queries.map((query) => query.ids)).toEqual([['a', 'b']]);
    queries[0]?.answer([row('a'), row('b')]);
    await Promise.all(first);
    await nextQuery(queries, 2);
    queries[1]?.answer([row('c')]);
    expect(await Promise.all(later)).toEqual([expect.objectContaining({ id: 'c' }), null]);
    expect(queries.map((query) => query.ids)).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
  });

  it("gives another company's flow to nobody, cached or not", async () => {
    const setup = setUp();
    await warm(setup, 'f');
    expect(setup.cache.get(stranger, 'f')).toBeNull();
    setup.state.now = FRESH_MS;
    const asked = setup.cache.get(stranger, 'f');
    await nextQuery(setup.queries, 2);
    setup.queries[1]?.answer([row('f')]);
    expect(await asked).toBeNull();
  });

  it('forgets a changed flow at once', async () => {
    const setup = setUp();
    await warm(setup, 'f');
    setup.state.ring('f');
    expect(setup.cache.get(company, 'f')).toBeInstanceOf(Promise);
  });

  it('does not remember an answer that a change overtook', async () => {
    const setup = setUp();
    const asked = setup.cache.get(company, 'f');
    await nextQuery(setup.queries, 1);
    setup.state.ring('f');
    setup.queries[0]?.answer([row('f')]);
    await asked;
    expect(setup.cache.get(company, 'f')).toBeInstanceOf(Promise);
  });

  it('does not remember flows that are gone', async () => {
    const setup = setUp();
    await warm(setup, 'f');
    setup.state.now = FRESH_MS;
    const asked = setup.cache.get(company, 'f');
    await nextQuery(setup.queries, 2);
    setup.queries[1]?.answer([]);
    expect(await asked).toBeNull();
    expect(setup.cache.get(company, 'f')).toBeInstanceOf(Promise);
  });

  it('passes a failure to all who wait, and works again after it', async () => {
    const { cache, queries } = setUp();
    const asked = ['a', 'b'].map(async (id) => cache.get(company, id));
    const refused = Promise.all(asked.map((each) => expect(each).rejects.toThrow('away')));
    await nextQuery(queries, 1);
    queries[0]?.fail(new Error('away'));
    await refused;
    const again = cache.get(company, 'a');
    await nextQuery(queries, 2);
    queries[1]?.answer([row('a')]);
    expect(await again).toMatchObject({ id: 'a' });
  });
});

const byHand = { ...SETTINGS, publish: 'manual' } as const;
const flowAt = (version: number, fields: Partial<RunnableFlow> = {}): RunnableFlow => ({
  ...{ id: 'f', companyId: 'company-a', version, name: 'f', enabled: true, isBlueprint: false, restricted: false },
  ...{ createdBy: 'u', groupId: null, settings: byHand, when: null, ...fields },
});
const contentOf = (version: number): RunnableContent => ({ version, name: 'f', settings: byHand, when: null });

describe('the versions that runs name', () => {
  it('are read once by all who ask, also later', async () => {
    const { cache, named } = setUp();
    const asked = Array.from({ length: 1_000 }, () => cache.at(flowAt(3, { unpublished: true }), 2));
    named[0]?.answer(contentOf(2));
    expect(await Promise.all(asked)).toEqual(
      asked.map(() => expect.objectContaining({ id: 'f', version: 2 }) as object),
    );
    expect(await cache.at(flowAt(4), 2)).not.toHaveProperty('unpublished');
    expect(named.map(({ version }) => version)).toEqual([2]);
  });

  it('are read anew by who asks after a change, also while a read from before it is in flight', async () => {
    const { cache, named, state } = setUp();
    const before = cache.at(flowAt(3), 4);
    state.ring('f');
    const after = cache.at(flowAt(3), 4);
    named[0]?.answer(null);
    named[1]?.answer(contentOf(4));
    expect([await before, (await after)?.version]).toEqual([null, 4]);
  });
});
