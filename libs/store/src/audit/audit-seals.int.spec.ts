import { liveMongo } from '@weft/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { ensureIndexes } from '@weft/records';
import { Mongo } from '../driver/mongo.js';
import { SystemScope, TenantScope } from '../scope.js';
import { AUDIT_CHAINS, AUDIT_SEALS, chainOf, type AuditChain, type AuditSeal } from './audit-chain.schema.js';
import { AuditCutter } from './audit-cutter.js';
import { deriveAuditKey, type AuditKey, type AuditKeys } from './audit-key.js';
import { AuditRedactor } from './audit-redactor.js';
import { AuditSealer } from './audit-sealer.js';
import { AuditVerifier } from './audit-verifier.js';
import { AUDIT_LOGS, REDACT_AFTER_MS, UNSEALED, type AuditDocument } from './audit.schema.js';
import { proofOf, type AuditFacts } from './entry-proof.js';
import { recordAudit } from './record-audit.js';

const { uri, db } = liveMongo();
const [old, present] = [deriveAuditKey('a', 'salt'), deriveAuditKey('b', 'salt')];
const keysOf = (current: AuditKey, known: readonly AuditKey[] = [current]): AuditKeys => ({
  current,
  find: (id) => Promise.resolve(known.find((key) => key.id === id) ?? null),
});
const mongo = await Mongo.open({ uri, db, appName: 'spec', auditKey: present });
await ensureIndexes(mongo);
afterAll(() => mongo.close());

const keys = keysOf(present);
const ALL = new SystemScope('spec');
const entries = mongo.collection<AuditDocument>(AUDIT_LOGS);
const seals = mongo.collection<AuditSeal>(AUDIT_SEALS);
const chains = mongo.collection<AuditChain>(AUDIT_CHAINS);

let companies = 0;
const newScope = () => new TenantScope(`company${(companies += 1)}`);

async function record(scope: TenantScope, from: number, count: number): Promise<void> {
  const entryOf = (n: number) => ({
    action_type: 'user_updated' as const,
    collection: 'users',
    company_id: scope.companyId,
    UserID: 'u1',
    UserEmail: `actor${n}@weft.test`,
    UserIPAddress: '192.0.2.7',
    resource_id: `r${n}`,
    changes: {
      name: { before: undefined, after: { z: 1, a: [new Date(n), undefined] } },
      email: { before: null, after: `new${n}@weft.test` },
    },
  });
  await mongo.transaction((session) =>
    recordAudit(session, ...Array.from({ length: count }, (_, i) => entryOf(from + i))),
  );
}

const faults: unknown[] = [];
const seal = (by: AuditKeys = keys) =>
  new AuditSealer(mongo, by).sealAll(
    ALL,
    () => undefined,
    (_chain, error) => faults.push(error),
  );
const verify = (scope: TenantScope | null, by: AuditKeys = keys, segment?: number) =>
  new AuditVerifier(mongo, by, segment).verify(scope);

/** A company with three seals of two entries each. */
async function sealedCompany(): Promise<{ scope: TenantScope; ids: string[] }> {
  const scope = newScope();
  for (const n of [0, 2, 4]) {
    await record(scope, n, 2);
    await seal();
  }
  const all = await entries.find({ company_id: scope.companyId }).sort({ seal: 1, _id: 1 }).toArray();
  expect(all.map((entry) => entry.seal)).toEqual([1, 1, 2, 2, 3, 3]);
  return { scope, ids: all.map(({ _id }) => _id) };
}

/** An entry as the log has it, made `ageMs` ago. */
function agedEntry(scope: TenantScope, n: number, ageMs: number): AuditDocument {
  const facts: AuditFacts = {
    ...{
      _id: `0aged${String(n).padStart(4, '0')}`,
      action_type: 'logout',
      collection: 'sessions',
      company_id: scope.companyId,
    },
    ...{ entries_deleted: null, duration_ms: null, timestamp: new Date(mongo.serverNow() - ageMs), UserID: 'u1' },
    ...{
      UserEmail: `old${n}@weft.test`,
      UserIPAddress: null,
      resource_type: null,
      resource_id: null,
      request_id: null,
    },
    ...{ outcome: 'success', reason: null, changes: { email: { before: 'secret@weft.test', after: null } } },
  };
  return { ...facts, ...proofOf(facts, present), seal: UNSEALED };
}

describe('a sealed log', () => {
  it('verifies, with entries that are not sealed yet, and a company without any does', async () => {
    const { scope } = await sealedCompany();
    await record(scope, 6, 1);
    expect(await verify(scope)).toEqual({ ok: true, checked: 7, first_bad: null });
    expect(await verify(newScope())).toEqual({ ok: true, checked: 0, first_bad: null });
    expect(faults).toEqual([]);
  });

  it('is sealed a batch in turn: a company with very many entries holds up no other one', async () => {
    await seal();
    const [much, little] = [newScope(), newScope()].sort((a, b) => (a.companyId < b.companyId ? -1 : 1));
    if (!much || !little) throw new Error('there are two');
    await record(much, 0, 1_001);
    await record(little, 0, 1);
    const heads: [string, number][] = [];
    const onHead = ({ _id }: { readonly _id: string }, count: number) => heads.push([_id, count]);
    await new AuditSealer(mongo, keys).sealAll(ALL, onHead, (_chain, error) => faults.push(error));
    const ofLittle = heads.findIndex(([chain]) => chain.includes(little.companyId));
    expect(heads).toHaveLength(4);
    expect(ofLittle).toBeLessThan(2);
    expect(heads.flatMap(([chain, count]) => (chain.includes(much.companyId) ? [count] : []))).toEqual([500, 500, 1]);
  });

  type Harm = (ids: string[], chain: string) => Promise<unknown>;
  const at = (ids: readonly string[], n: number) => ids[n] ?? '';
  it.each<[string, Harm, (ids: string[]) => string]>([
    [
      'a changed field',
      (ids) => entries.updateOne({ _id: at(ids, 2) }, { $set: { reason: 'x' } }),
      (ids) => at(ids, 2),
    ],
    [
      'a changed person',
      (ids) => entries.updateOne({ _id: at(ids, 2) }, { $set: { UserEmail: 'b@weft.test' } }),
      (ids) => at(ids, 2),
    ],
    [
      'a change inside changes',
      (ids) => entries.updateOne({ _id: at(ids, 3) }, { $set: { 'changes.name.after.z': 2 } }),
      (ids) => at(ids, 3),
    ],
    [
      'a redaction before its time',
      (ids) =>
        entries.updateOne(
          { _id: at(ids, 1) },
          {
            $set: {
              UserEmail: '[redacted]',
              UserIPAddress: '[redacted]',
              'changes.email.after': '[redacted]',
              'personal.salt': null,
            },
          },
        ),
      (ids) => at(ids, 1),
    ],
    ['a deleted entry', (ids) => entries.deleteOne({ _id: at(ids, 2) }), (ids) => at(ids, 2)],
    ['the last entry deleted', (ids) => entries.deleteOne({ _id: at(ids, 5) }), (ids) => at(ids, 5)],
    ['all entries deleted', (ids) => entries.deleteMany({ _id: { $in: ids } }), (ids) => at(ids, 0)],
    [
      'an entry in another seal',
      (ids) => entries.updateOne({ _id: at(ids, 1) }, { $set: { seal: 2 } }),
      (ids) => at(ids, 1),
    ],
    [
      'an entry that is past all seals',
      (ids) => entries.updateOne({ _id: at(ids, 5) }, { $set: { seal: 9 } }),
      (ids) => at(ids, 5),
    ],
    [
      'an entry out of its seal',
      (ids) => entries.updateOne({ _id: at(ids, 1) }, { $set: { seal: UNSEALED } }),
      (ids) => at(ids, 1),
    ],
    [
      'an entry whose seal is none',
      (ids) => entries.updateOne({ _id: at(ids, 5) }, { $unset: { seal: 1 } }),
      (ids) => at(ids, 5),
    ],
    [
      'times of two entries exchanged',
      async (ids) => {
        const [one, two] = await entries
          .find({ _id: { $in: [at(ids, 0), at(ids, 4)] } })
          .sort({ _id: 1 })
          .toArray();
        await entries.updateOne({ _id: at(ids, 0) }, { $set: { timestamp: new Date(two!.timestamp.getTime() + 5) } });
        await entries.updateOne({ _id: at(ids, 4) }, { $set: { timestamp: one!.timestamp } });
      },
      (ids) => at(ids, 0),
    ],
    [
      'a forged entry',
      async (ids) => {
        const found = await entries.findOne({ _id: at(ids, 2) });
        await entries.insertOne({ ...found!, _id: `${at(ids, 2)}x`, seal: UNSEALED });
      },
      (ids) => `${at(ids, 2)}x`,
    ],
    [
      'an entry of another company',
      async (ids) => {
        const other = newScope();
        await record(other, 0, 1);
        const [alien] = await entries.find({ company_id: other.companyId }).toArray();
        const { company_id } = (await entries.findOne({ _id: at(ids, 0) }))!;
        await entries.insertOne({ ...alien!, _id: `${alien!._id}y`, company_id });
      },
      () => expect.stringMatching(/y$/) as string,
    ],
    ['a deleted seal', (_ids, chain) => seals.deleteOne({ _id: `${chain}:2` }), () => 'seal:2'],
    [
      'a changed seal',
      (_ids, chain) => seals.updateOne({ _id: `${chain}:2` }, { $pop: { entries: 1 } }),
      () => 'seal:2',
    ],
    [
      'the last seal and its entries cut off',
      async (ids, chain) => {
        await seals.deleteOne({ _id: `${chain}:3` });
        await entries.deleteMany({ _id: { $in: ids.slice(4) } });
      },
      () => 'seal:3',
    ],
    ['a head set back', (_ids, chain) => chains.updateOne({ _id: chain }, { $set: { n: 2 } }), () => 'chain'],
    [
      'the first seal cut off with a checkpoint of somebody’s own',
      (_ids, chain) => chains.updateOne({ _id: chain }, { $set: { 'cut.n': 1 } }),
      () => 'chain',
    ],
    ['no head', (_ids, chain) => chains.deleteOne({ _id: chain }), () => 'seal:1'],
  ])('does not verify with %s', async (_what, harm, bad) => {
    const { scope, ids } = await sealedCompany();
    await harm(ids, chainOf(scope.companyId));
    expect(await verify(scope)).toMatchObject({ ok: false, first_bad: bad(ids) });
    // nor after the next seal, which somebody may hope hides it
    await record(scope, 10, 1);
    await seal();
    expect((await verify(scope)).ok).toBe(false);
  });

  it('is compared in segments when it is long, and what is wrong shows in each of them', async () => {
    const { scope, ids } = await sealedCompany();
    await record(scope, 6, 1);
    for (const segment of [1, 2, 3, 4]) {
      expect(await verify(scope, keys, segment)).toEqual({ ok: true, checked: 7, first_bad: null });
    }
    for (const id of [...ids].reverse()) {
      await entries.updateOne({ _id: id }, { $set: { reason: 'x' } });
      expect(await verify(scope, keys, 1)).toMatchObject({ ok: false, first_bad: id });
    }
  });

  it('that retention cuts between two segments verifies on from the cut', async () => {
    const { scope, ids } = await sealedCompany();
    const cutter = new AuditCutter(mongo, keys);
    const asked: string[] = [];
    const cutting: AuditKeys = {
      ...keys,
      find: async (id) => {
        asked.push(id);
        // in the middle of the first segment, which does not see it: the first two seals and half of the third go
        expect(await cutter.cut(scope, { before: new Date(mongo.serverNow() + 60_000), keep: 1, limit: 9 })).toBe(5);
        return keys.find(id);
      },
    };
    expect(await verify(scope, cutting, 1)).toMatchObject({ ok: true, first_bad: null });
    expect(asked).toHaveLength(1);
    expect(await entries.distinct('_id', { company_id: scope.companyId })).toEqual(ids.slice(5));
  });

  it('does not verify with an entry that is put back after retention deleted it', async () => {
    const scope = newScope();
    const gone = agedEntry(scope, 900 + companies, 15 * 24 * 3_600_000);
    await entries.insertOne(gone);
    await seal();
    await record(scope, 0, 2);
    await seal();
    const before = new Date(mongo.serverNow() - 3_600_000);
    expect(await new AuditCutter(mongo, keys).cut(scope, { before, keep: 0, limit: 9 })).toBe(1);
    expect(await verify(scope)).toMatchObject({ ok: true });
    await entries.insertOne(gone);
    expect(await verify(scope)).toMatchObject({ ok: false, first_bad: gone._id });
    await seal();
    expect(await verify(scope)).toMatchObject({ ok: false, first_bad: gone._id });
  });

  it('verifies under keys of secrets that were replaced, and not without them', async () => {
    const { scope } = await sealedCompany();
    const both = keysOf(old, [old, present]);
    await record(scope, 6, 1);
    await seal(both);
    expect(await verify(scope, both)).toEqual({ ok: true, checked: 7, first_bad: null });
    expect(await verify(scope, keysOf(old))).toMatchObject({ ok: false });
  });
});

describe('an entry', () => {
  it('that is committed late, with an earlier id, is sealed once, as all others are', async () => {
    const scope = newScope();
    const late: { commit?: () => void } = {};
    const held = new Promise<void>((resolve) => (late.commit = resolve));
    const written: { tell?: () => void } = {};
    const isWritten = new Promise<void>((resolve) => (written.tell = resolve));
    const early = mongo.transaction(async (session) => {
      await recordAudit(session, { action_type: 'logout', collection: 'sessions', company_id: scope.companyId });
      written.tell?.();
      await held;
    });
    await isWritten;
    await record(scope, 1, 2);
    await seal();
    late.commit?.();
    await early;
    await Promise.all([seal(), seal(), seal()]);
    const all = await entries.find({ company_id: scope.companyId }).sort({ _id: 1 }).toArray();
    expect(all.map((entry) => entry.seal)).toEqual([2, 1, 1]);
    expect(await verify(scope)).toEqual({ ok: true, checked: 3, first_bad: null });
  });

  it('of 30 days is redacted in the store, for good, and its seal holds', async () => {
    const scope = newScope();
    const ages = [REDACT_AFTER_MS + 1_000, REDACT_AFTER_MS - 60_000];
    await entries.insertMany(ages.map((age, n) => agedEntry(scope, n, age)));
    await seal();
    await new AuditRedactor(mongo).redactDue(ALL);
    const [due, young] = await entries.find({ company_id: scope.companyId }).sort({ _id: 1 }).toArray();
    expect(JSON.stringify(due)).not.toMatch(/weft\.test/);
    expect(due).toMatchObject({ UserEmail: '[redacted]', UserIPAddress: null, personal: { salt: null } });
    expect(young).toMatchObject({ UserEmail: 'old1@weft.test', changes: { email: { before: 'secret@weft.test' } } });
    expect(await verify(scope)).toEqual({ ok: true, checked: 2, first_bad: null });
    await entries.deleteMany({ company_id: scope.companyId });
  });
});

describe('a cut by retention', () => {
  const never = new Date(Date.now() + 3_600_000);
  const cut = (scope: TenantScope, keep: number, limit: number, before = never) =>
    new AuditCutter(mongo, keys).cut(scope, { before, keep, limit });

  it('leaves a rest that verifies, also in the middle of a seal, and never takes more than it may', async () => {
    const { scope, ids } = await sealedCompany();
    expect(await cut(scope, 2, 1)).toBe(1);
    expect(await verify(scope)).toEqual({ ok: true, checked: 5, first_bad: null });
    expect(await cut(scope, 2, 10)).toBe(3);
    expect(await verify(scope)).toEqual({ ok: true, checked: 2, first_bad: null });
    expect(await cut(scope, 2, 10)).toBe(0);
    expect(await cut(scope, 0, 10, new Date(0))).toBe(0);
    const left = await entries.find({ company_id: scope.companyId }).sort({ _id: 1 }).toArray();
    expect(left.map(({ _id }) => _id)).toEqual(ids.slice(4));
    await record(scope, 6, 3);
    expect(await cut(scope, 3, 10)).toBe(2);
    await seal();
    expect(await verify(scope)).toEqual({ ok: true, checked: 3, first_bad: null });
    expect(await seals.countDocuments({ chain: chainOf(scope.companyId) })).toBe(1);
  });

  it('shows when it goes further than the checkpoint says', async () => {
    const { scope, ids } = await sealedCompany();
    await cut(scope, 0, 3);
    await entries.deleteOne({ _id: ids[3] });
    expect(await verify(scope)).toMatchObject({ ok: false, first_bad: ids[3] });
  });

  it('is one with what belongs to it', async () => {
    const { scope } = await sealedCompany();
    const also = () => Promise.reject(new Error('no'));
    await expect(new AuditCutter(mongo, keys).cut(scope, { before: never, keep: 0, limit: 9, also })).rejects.toThrow(
      'no',
    );
    expect(await verify(scope)).toEqual({ ok: true, checked: 6, first_bad: null });
  });

  it('ends what a break of the chain has left, once it has passed it', async () => {
    const { scope } = await sealedCompany();
    await chains.deleteOne({ _id: chainOf(scope.companyId) });
    await record(scope, 6, 2);
    await seal();
    expect(await verify(scope)).toMatchObject({ ok: false, first_bad: 'seal:4' });
    await record(scope, 8, 1);
    await seal();
    await cut(scope, 1, 10);
    expect(await verify(scope)).toEqual({ ok: true, checked: 1, first_bad: null });
  });
});
