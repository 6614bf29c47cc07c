import type { Play } from '@weft/engine';
import { AdmissionWindow } from '@weft/queue';
import {
  COLLECTIONS,
  COMPANIES,
  companyFilter,
  COMPANY_JOBS,
  CompanyJobsRepository,
  ERASED,
  USERS,
  type CompanyJobDocument,
  type UserDocument,
} from '@weft/records';
import { PlayCommands } from '@weft/runs';
import { AUDIT_LOGS, MongoPlayStore, OpenPlaysRepository, PAYLOAD_CHUNKS, PLAYS, SystemScope } from '@weft/store';
import type { AuditDocument } from '@weft/store';
import { beforeAll, expect, it } from 'vitest';
import { liveApi, newId, textOf, type Person } from '../../../../test/api/live-api.js';
import { storedFlow, storedPlays } from '../../../../test/api/stored-play.js';
import { eraseCompany, type ErasureDeps } from './erase-company.js';
import { endEntry } from './end-entry.js';

const { app, mongo, person } = await liveApi();
const ALL = new SystemScope('spec');
const jobs = new CompanyJobsRepository(mongo);
const of = <T>(part: abstract new (...needs: never[]) => T): T => app.get<T>(part, { strict: false });
const deps: ErasureDeps = {
  mongo,
  jobs,
  window: of(AdmissionWindow),
  plays: of(OpenPlaysRepository),
  store: of(MongoPlayStore),
  commands: of(PlayCommands),
  lookAgainMs: 0,
};

let op: Person;
beforeAll(async () => {
  op = await person('admin');
  await mongo.collection<UserDocument>(USERS).updateOne({ _id: op.userId }, { $set: { operator: true } });
});

/** A document of the company in each collection that has some, with whatever a unique index asks for. */
async function fill(companyId: string): Promise<void> {
  for (const { name, ofCompany } of ERASED) {
    if (ofCompany === null) continue;
    const unique = newId();
    const fields = ['token_hash', 'SessionHash', 'email_key', 'key', 'flowId', 'ref', 'seal', 'address', 'tag'];
    const filter = companyFilter(ofCompany, companyId) as Record<string, unknown>;
    const document: Record<string, unknown> = {
      n: 1,
      version: 1,
      ...Object.fromEntries(fields.map((f) => [f, unique])),
    };
    for (const [path, value] of Object.entries(filter)) {
      const [first = '', second] = path.split('.');
      const inner = { [String(second)]: value };
      document[first] = second === undefined ? value : name === USERS ? [{ ...inner, role: 'viewer' }] : inner;
    }
    await mongo.collection(name).insertOne({ _id: unique as never, ...document });
  }
}

async function countOf(companyId: string): Promise<Record<string, number>> {
  const counts = ERASED.map(async ({ name, ofCompany }) => {
    const filter = ofCompany === null ? {} : companyFilter(ofCompany, companyId);
    return [name, await mongo.collection(name).countDocuments(filter)] as const;
  });
  return Object.fromEntries(await Promise.all(counts));
}

const jobOf = async (id: string): Promise<CompanyJobDocument> => {
  const job = await jobs.find(ALL, id);
  if (!job) throw new Error('the job is gone');
  return job;
};

async function order(companyId: string, name: string): Promise<CompanyJobDocument> {
  const options = { body: { confirm: name } };
  const answer = await op.send('DELETE', `/api/v1/companies/${companyId}`, options);
  expect(answer.status).toBe(202);
  return jobOf(textOf(answer.body.id));
}

const rename = (companyId: string, name: string) =>
  op.send('PATCH', `/api/v1/companies/${companyId}`, { body: { name } });

it('erases what a company has in every collection, and counts it exactly, however often it is killed', async () => {
  const [victim, neighbour] = [await person('admin'), await person('admin')];
  const [gone, stays] = [victim.scope.companyId, neighbour.scope.companyId];
  await Promise.all([fill(gone), fill(stays)]);
  const flow = await storedFlow(mongo, victim);
  for (let i = 0; i < 3; i += 1) await storedPlays(mongo, victim)(flow);
  const file = await mongo.collection('payloads.files').findOne({ 'metadata.company_id': gone });
  await mongo.collection(PAYLOAD_CHUNKS).insertOne({ files_id: file?._id, n: 0, data: Buffer.from('x') });
  await rename(gone, 'Übung 東京 🦩');
  const [before, theirs] = [await countOf(gone), await countOf(stays)];

  const job = await order(gone, 'Übung 東京 🦩');
  let kills = 0;
  for (let isDone = false; !isDone; kills += 1) {
    let portions = 0;
    // a process that ends after each portion
    isDone = await eraseCompany(await jobOf(job._id), deps, () => Promise.resolve((portions += 1) < 60));
  }
  expect(kills).toBeGreaterThan(1);
  expect(Object.values(await countOf(gone)).filter((count) => count > 0)).toEqual([]);
  expect(await countOf(stays)).toEqual(theirs);
  expect(await mongo.collection(PAYLOAD_CHUNKS).countDocuments({ files_id: file?._id })).toBe(0);
  expect(await mongo.collection<{ _id: string }>(COMPANIES).countDocuments({ _id: gone })).toBe(0);
  const { counts } = await jobOf(job._id);
  expect(counts).toMatchObject({ plays: before.plays, flows: before.flows, users: before.users, companies: 1 });

  await jobs.end(ALL, job._id, {}, endEntry(await jobOf(job._id)));
  const [entry] = await mongo
    .collection<AuditDocument>(AUDIT_LOGS)
    .find({ action_type: 'company_erased', resource_id: gone })
    .toArray();
  expect(entry).toMatchObject({ company_id: null, changes: { documents: { before: { plays: before.plays } } } });
});

it('cancels what workers have in hand, and finds what is written late', async () => {
  const victim = await person('admin');
  const id = victim.scope.companyId;
  await rename(id, 'Late');
  const { _id } = await storedPlays(mongo, victim)(await storedFlow(mongo, victim), { state: 'RUN' });
  await of(AdmissionWindow).takeRoom(() => 10, new Map([[id, { ids: [_id] }]]));
  const moves: string[] = [];
  const commands = {
    apply: async (input: Parameters<PlayCommands['apply']>[0]) => {
      const applied = await of(PlayCommands).apply(input);
      moves.push(applied.kind);
      return applied;
    },
  } as ErasureDeps['commands'];
  const job = await order(id, 'Late');
  expect(await eraseCompany(job, { ...deps, commands }, () => Promise.resolve(true))).toBe(false);
  expect(moves).toEqual(['written']);
  expect(await mongo.collection<Play>(PLAYS).countDocuments({ company_id: id })).toBe(0);
  await mongo.collection('kv_stores').insertOne({ _id: newId() as never, company_id: id, key: 'late' });
  expect(await eraseCompany(await jobOf(job._id), deps, () => Promise.resolve(true))).toBe(true);
  expect((await countOf(id)).kv_stores).toBe(0);
});

it('is ordered by operators who name the company, from another one, and never taken back', async () => {
  const victim = await person('admin');
  const path = `/api/v1/companies/${victim.scope.companyId}`;
  await rename(victim.scope.companyId, 'Heron');
  const erase = (by: Person, confirm: string) => by.send('DELETE', path, { body: { confirm } });
  expect((await erase(victim, 'Heron')).body.code).toBe('operator_required');
  expect((await erase(await person('admin'), 'Heron')).body.code).toBe('operator_required');
  expect(await erase(op, 'heron')).toMatchObject({ status: 409, body: { code: 'confirm_needed' } });
  const own = await op.send('DELETE', `/api/v1/companies/${op.scope.companyId}`, { body: { confirm: 'x' } });
  expect(own).toMatchObject({ status: 403, body: { code: 'denied' } });
  expect((await op.send('DELETE', `/api/v1/companies/${newId()}`, { body: { confirm: 'x' } })).status).toBe(404);
  expect((await victim.send('GET', '/api/v1/auth/me')).status).toBe(200);

  const made = await erase(op, 'Heron');
  expect(made).toMatchObject({ status: 202, body: { kind: 'erasure', state: 'running', company_name: 'Heron' } });
  expect((await op.send('GET', textOf(made.headers.location as never))).body).toMatchObject({ id: made.body.id });
  expect((await victim.send('GET', '/api/v1/auth/me')).status).toBe(401);
  expect(await erase(op, 'Heron')).toMatchObject({ status: 409, body: { code: 'company_erasing' } });
  const back = await op.send('PATCH', path, { body: { active: true } });
  expect(back).toMatchObject({ status: 409, body: { code: 'company_erasing' } });
  await mongo.collection<CompanyJobDocument>(COMPANY_JOBS).deleteOne({ _id: textOf(made.body.id) });
});

it('knows of every collection', () => {
  expect(ERASED.length + COLLECTIONS.filter(({ ofCompany }) => ofCompany === null).length + 1).toBe(COLLECTIONS.length);
});
