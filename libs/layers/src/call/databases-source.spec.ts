import type { LayerDefinition } from '@weft/engine';
import { Sandbox } from '@weft/sandbox';
import { aLayer, aPlay, aVersion, dialerTo } from '@weft/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { InlineBudget } from '../memory/inline-budget.js';
import { answerWell, talkingServer } from '../sql/postgres/database-server.fixture.js';
import { SessionPools } from '../sql/session-pools.js';
import { linkTo } from '../sql/sql.fixture.js';
import { MemoryPayloads } from '../stored/memory-payloads.fixture.js';
import type { CallGate, GateAsk } from './call-gate.js';
import type { LayerCall } from './layer-call.js';
import { LayerRunner } from './layer-runner.js';
import { prepareVersion } from './prepared-version.js';

const sandbox = new Sandbox({ concurrency: 1 });
afterAll(() => sandbox.close());

const LIMIT = { limit: 10, per: 'second' } as const;
const nobody = { request: () => Promise.reject(new Error('nobody is called')), close: async () => undefined };

async function run(args: object, { gate, ...more }: Partial<LayerCall> & { readonly gate?: CallGate } = {}) {
  const server = await talkingServer(answerWell);
  const sockets = dialerTo(server.port);
  const link = { ...linkTo('postgres://weft:secret@db.example:5432/shop'), rateLimit: LIMIT };
  const runner = new LayerRunner({
    ...{ http: nobody, sockets, databases: new SessionPools(sockets), sandbox, payloads: new MemoryPayloads() },
    ...{ gate: gate ?? null, integrations: { connection: async () => link }, serverNow: () => 0 },
  });
  const layer = { appId: 'sql', args: { integrationId: 'db', statement: 'select a from t', ...args } };
  const { outcome } = await runner.run({
    ...{ play: aPlay({ companyId: 'c' }), prepared: prepareVersion(aVersion([aLayer('read', layer)]), 'Acme') },
    ...{ position: 0, attempt: 1, wait: null, answer: null, outputs: new Map(), errors: new Map() },
    ...{ inlineBudget: new InlineBudget(), by: 'me', signal: new AbortController().signal, ...more },
  });
  return { outcome, server };
}

describe('the database of a link', () => {
  it('is asked in a call of a layer', async () => {
    const { outcome } = await run({});
    expect(outcome).toMatchObject({ result: { state: 'DONE', out: { rows: [{ a: 'x' }] } } });
  });

  it('counts each statement for the rate limits of the link, before the first one is sent', async () => {
    const asked: GateAsk[] = [];
    const gate: CallGate = {
      enter: (ask) => {
        asked.push(ask);
        return null;
      },
    };
    const args = { statement: 'update t set a = :a', mode: 'many', params: [{ a: 1 }, { a: 2 }, { a: 3 }] };
    expect((await run(args, { gate })).outcome).toMatchObject({ result: { state: 'DONE', out: { rowCount: 3 } } });
    expect(asked.map(({ destination, links }) => [destination, links.get('db')])).toEqual(
      Array.from({ length: 3 }, () => ['db.example:5432', LIMIT]),
    );
  });

  it('is left for later when a limit says so', async () => {
    const gate: CallGate = { enter: () => ({ kind: 'rate_limit', waitMs: 5_000, destination: 'db.example:5432' }) };
    const { outcome, server } = await run({}, { gate });
    expect(outcome).toMatchObject({ kind: 'wait', wait: { kind: 'rate_limit' } });
    expect(server.received).toEqual([]);
  });

  it('gets no statement of a play that belongs to another worker', async () => {
    let asked = 0;
    const proven = () => Promise.resolve(++asked < 3);
    const { outcome, server } = await run({}, { proven });
    expect(outcome).toMatchObject({ result: { state: 'FAIL', error: { code: 'cancelled' } } });
    expect(server.received.join('')).not.toContain('select a from t');
  });
});

describe('after a crash', () => {
  const isOnce = (appId: string, args: LayerDefinition['args'], more: Partial<LayerDefinition> = {}) =>
    prepareVersion(aVersion([aLayer('l', { appId, args, ...more })]), 'Acme').plan[0]?.once;

  it.each([
    ['sql', { statement: 'insert into t values (1)' }, true],
    ['sql', { statement: 'with a as (delete from t) select 1' }, true],
    ['sql', { statement: 'insert into t values (1)', once: true }, false],
    ['sql', { statement: 'insert into t values (1)', repeatable: true }, false],
    ['sql', { statement: 'select 1' }, false],
    ['sql', { statement: 'with a as (select 1) select * from a', readOnly: true }, false],
    ['sql-transaction', { statements: [{ statement: 'select 1' }, { statement: 'delete from t' }] }, true],
    ['sql-transaction', { statements: [{ statement: 'delete from t' }], once: true }, false],
    ['sql-transaction', { statements: [{ statement: 'select 1' }] }, false],
  ])('%s %j is never called again: %s', (appId, args, once) => {
    expect(isOnce(appId, args)).toBe(once);
    expect(isOnce(appId, args, { onInterrupted: 'fail' })).toBe(true);
  });
});
