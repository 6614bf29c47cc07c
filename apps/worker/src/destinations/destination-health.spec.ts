import type { CallEnd } from '@weft/layers';
import type { TenantScope } from '@weft/store';
import type { DestinationDocument } from '@weft/records';
import { describe, expect, it } from 'vitest';
import { DestinationHealth, type DestinationHealthDeps } from './destination-health.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const known = (fields: Partial<DestinationDocument>): DestinationDocument => ({
  ...{ _id: 'c a:1', company_id: 'c', address: 'a:1', state: 'up', since: new Date(NOW), rate_limit: null, rev: 1 },
  ...fields,
});

type Report = DestinationHealthDeps['store']['report'];

function setUp(reported: Partial<DestinationDocument> | null = {}, mayTry = true, report?: Report) {
  const did: unknown[][] = [];
  const time = { ms: 0 };
  const health = new DestinationHealth({
    store: {
      report:
        report ??
        (async ({ companyId }: TenantScope, address, worker, seen) => {
          did.push(['report', companyId, address, worker, seen.calls, seen.failed]);
          return reported && { now: known(reported), wentDown: reported.state === 'down' };
        }),
      takeProbe: async () => (did.push(['take']), mayTry),
      probeFailed: async (_scope, _address, failed) => void did.push(['failed', failed]),
      recover: async () => did.push(['recover']) > 0,
      fallBack: async () => did.push(['fall back']) > 0,
    },
    ...{ worker: 'w', monotonicMs: () => time.ms, serverNow: () => NOW + time.ms },
    changed: (companyId) => did.push(['changed', companyId]),
    onMove: (to) => did.push(['move', to]),
    onProbe: () => undefined,
    onFault: (error) => {
      throw error;
    },
  });
  const call = async (how: CallEnd, of?: DestinationDocument, companyId = 'c') => {
    health.begin(companyId, 'a:1', of)?.ended(how);
    await Promise.resolve();
    await Promise.resolve();
  };
  return { health, did, time, call };
}

describe('what a worker writes of a destination', () => {
  it('is nothing while its calls end as they should, whatever a few of them do', async () => {
    const { did, call } = setUp();
    for (let i = 0; i < 100; i += 1) await call(i % 3 === 0 ? 'failed' : 'answered');
    await call(null);
    expect(did).toEqual([]);
  });

  it('is what it has seen, once a second, when half of its calls fail', async () => {
    const { did, time, call } = setUp();
    for (let i = 0; i < 5; i += 1) await call('failed');
    expect(did).toEqual([['report', 'c', 'a:1', 'w', 3, 3]]);
    time.ms = 1_000;
    await call('failed');
    expect(did.slice(1)).toEqual([['report', 'c', 'a:1', 'w', 6, 6]]);
    // another company, which has seen nothing
    await call('failed', undefined, 'd');
    expect(did).toHaveLength(2);
  });

  it('is that its own calls are answered, when another worker sees that calls fail', async () => {
    const evidence = [{ worker: 'x', calls: 9, failed: 9, rate: 1, at: new Date(NOW) }];
    const { did, time, call } = setUp({ evidence });
    await call('answered', known({ evidence }));
    expect(did).toEqual([['report', 'c', 'a:1', 'w', 1, 0]]);
    // the book is not read again; what the report has given is newer
    time.ms = 9_000;
    await call('answered', known({ evidence }));
    time.ms = 18_000;
    await call('answered', known({ evidence }));
    expect(did).toHaveLength(3);
  });

  it('is not what calls did that began before the outage', async () => {
    const { health, did, call } = setUp();
    const old = Array.from({ length: 5 }, () => health.begin('c', 'a:1', undefined));
    await call('answered', known({ state: 'recovering' }));
    await call('answered');
    for (const pass of old) pass?.ended('failed');
    expect(did).toEqual([]);
  });

  it('is that calls fail again while they come back', async () => {
    const { did, call } = setUp();
    const recovering = known({ state: 'recovering' });
    for (let i = 0; i < 10; i += 1) await call('answered', recovering);
    await call('failed', recovering);
    expect(did).toEqual([]);
    await call('failed', recovering);
    expect(did).toEqual([['fall back'], ['move', 'down'], ['changed', 'c']]);
  });

  it('is no other destination of a company of which as many are recorded as may be', async () => {
    const { health, did, time } = setUp(null);
    const fail = async (address: string) => {
      for (let i = 0; i < 3; i += 1) health.begin('c', address, undefined)?.ended('failed');
      await new Promise(setImmediate);
    };
    await fail('a:1');
    await fail('b:1');
    expect(did).toHaveLength(1);
    time.ms = 10_000;
    await fail('b:1');
    expect(did).toHaveLength(2);
  });

  it('is the same however many hosts another company calls meanwhile', async () => {
    const { health, did, call } = setUp();
    for (let i = 0; i < 3; i += 1) {
      await call('failed');
      for (let host = 0; host < 6_000; host += 1) health.begin('other', `h${host}:1`, undefined)?.ended('failed');
    }
    expect(did).toContainEqual(['report', 'c', 'a:1', 'w', 3, 3]);
  });

  it('is half of what it may report at a time, for one company', async () => {
    const reported: string[] = [];
    const { promise: stored, resolve } = Promise.withResolvers<Awaited<ReturnType<Report>>>();
    const { health } = setUp({}, true, ({ companyId }) => (reported.push(companyId), stored));
    const failThrice = (companyId: string, host: number) => {
      for (let i = 0; i < 3; i += 1) health.begin(companyId, `h${host}:1`, undefined)?.ended('failed');
    };
    for (let host = 0; host < 20; host += 1) failThrice('other', host);
    failThrice('c', 0);
    expect(reported).toEqual(['other', 'other', 'other', 'other', 'c']);
    resolve({ now: known({}), wentDown: false });
    await new Promise(setImmediate);
    failThrice('other', 21);
    expect(reported).toHaveLength(6);
  });

  it('is nothing of a host that nobody’s service has', () => {
    expect(setUp().health.begin('c', `${'a'.repeat(400)}:1`, undefined)).toBeNull();
  });
});

describe('the call that tries a destination that is down', () => {
  const down = known({ state: 'down', nextProbe: new Date(NOW) });

  it('is one whose time has come, of those that ask at most once a second', async () => {
    const { health, did, time } = setUp({}, false);
    expect(health.probe('c', known({ state: 'down', nextProbe: new Date(NOW + 1) }), false)).toBeNull();
    expect(await health.probe('c', down, false)).toBeNull();
    expect(health.probe('c', down, false)).toBeNull();
    // it was set going for this
    expect(await health.probe('c', down, true)).toBeNull();
    time.ms = 1_000;
    await health.probe('c', down, false);
    expect(did).toEqual([['take'], ['take'], ['take']]);
  });

  it.each([
    ['answered', [['recover'], ['move', 'recovering'], ['changed', 'c']]],
    ['failed', [['failed', true]]],
    [null, [['failed', false]]],
  ] as const)('that is %s says so', async (how, then) => {
    const { health, did } = setUp();
    (await health.probe('c', down, false))?.ended(how);
    await Promise.resolve();
    await Promise.resolve();
    expect(did.slice(1)).toEqual(then);
  });
});
