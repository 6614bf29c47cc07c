import { createHash } from 'node:crypto';
import type { mongo } from 'mongoose';
import { CompanyEraser, CompanyRepository, companyFilter, EXPORTED, type CompanyJobDocument } from '@weft/records';
import { isDuplicateKey, SystemScope, TenantScope, type Mongo } from '@weft/store';
import { arrive, type Arrival } from './arrive.js';
import { linesOf, readHead, readLine, type CompanyHead } from './company-file.js';
import { JobFault } from './job-fault.js';
import type { JobDeps, JobOutcome } from './job-deps.js';

const IMPORTING = new SystemScope('an import makes a company');
const ID = /(?<![0-9a-z])[0-9a-hjkmnp-tv-z]{20}(?![0-9a-z])/g;
/** Their ids are in memory. */
const MOST_DOCUMENTS = 1_000_000;
const MOST_NAMES = 1_000;
const SHOW_EVERY = 2_000;
const WRITTEN_AT_ONCE = 200;
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * Makes a company of a file. Every document gets an id of its own, made of the job and the id in the file: the work may be done again. The
 * company itself comes last, and until then nobody sees the others.
 */
export async function importCompany(job: CompanyJobDocument, deps: JobDeps): Promise<JobOutcome> {
  const { head, ids } = await readIds(job, deps);
  const counts: Record<string, number> = {};
  const left = new Map<string, string[]>(Object.entries(head.left_out).map(([kind, names]) => [kind, [...names]]));
  const leave: Arrival['leave'] = (kind, name) => {
    const names = left.get(kind) ?? [];
    if (names.length < MOST_NAMES) names.push(String(name));
    left.set(kind, names);
  };
  const arrival = { companyId: job.about, secrets: deps.secrets, now: new Date(deps.mongo.serverNow()), leave };
  let portion: { readonly name: string; readonly document: mongo.Document }[] = [];
  let written = 0;
  for await (const text of await contentOf(job, deps)) {
    const line = written === 0 && isHead(text) ? null : readLine(text.replace(ID, (id) => ids.get(id) ?? id));
    if (!line || !('document' in line)) continue;
    const { collection: name, document } = line;
    portion.push({ name, document: arrive(name, document, arrival) });
    counts[name] = (counts[name] ?? 0) + 1;
    written += 1;
    if (portion.length < WRITTEN_AT_ONCE) continue;
    await write(portion, job, deps);
    portion = [];
    if (written % SHOW_EVERY === 0) await deps.show(counts);
  }
  await write(portion, job, deps);
  await makeCompany(job, deps);
  return { counts, left_to_give: Object.fromEntries(left) };
}

/** What was stored of an import that failed. */
export async function forgetImport({ _id, about }: CompanyJobDocument, mongo: Mongo): Promise<void> {
  const uncounted = { count: () => Promise.resolve(), lookAgain: () => Promise.resolve() };
  const eraser = new CompanyEraser(mongo, uncounted);
  for (const entry of EXPORTED) while (await eraser.portion(entry, about, _id));
}

const isHead = (text: string) => text.startsWith('{"format":');

/** Reads the whole file first: that it is whole, and which ids are in it. @throws JobFault */
async function readIds(
  job: CompanyJobDocument,
  deps: JobDeps,
): Promise<{ head: CompanyHead; ids: Map<string, string> }> {
  const ids = new Map<string, string>();
  const known = new Set(EXPORTED.map(({ name }) => name));
  let head: CompanyHead | null = null;
  let [documents, announced] = [0, -1];
  for await (const text of await contentOf(job, deps)) {
    if (!head) {
      head = readHead(text);
      ids.set(head.company.id, job.about);
      continue;
    }
    const line = readLine(text);
    if ('counts' in line) {
      announced = Object.values(line.counts).reduce((sum, count) => sum + count, 0);
      continue;
    }
    if (!known.has(line.collection)) throw new JobFault(`The file has documents of "${line.collection}".`);
    documents += 1;
    if (documents > MOST_DOCUMENTS) throw new JobFault(`The file has more than ${MOST_DOCUMENTS} documents.`);
    for (const id of String(line.document._id).match(ID) ?? []) if (!ids.has(id)) ids.set(id, newId(job, id));
  }
  if (!head) throw new JobFault('The file is empty.');
  if (announced !== documents) throw new JobFault('The file is not whole: it ends before its end.');
  return { head, ids };
}

/** It begins as the other one, and so sorts in the same place: ids begin with their time. */
function newId({ _id }: CompanyJobDocument, id: string): string {
  const hash = createHash('sha256').update(`${_id} ${id}`).digest();
  return id.slice(0, 10) + Array.from(hash.subarray(0, 10), (byte) => ALPHABET.charAt(byte % 32)).join('');
}

async function contentOf({ file, requested_by }: CompanyJobDocument, { payloads }: JobDeps) {
  const found = await payloads.userFiles.open(new TenantScope(requested_by.company_id), file ?? '');
  if (!found) throw new JobFault('The file is not kept any more: send it again.');
  return linesOf(found.read());
}

/** @throws JobFault for what would not be the company's own */
async function write(
  portion: readonly { readonly name: string; readonly document: mongo.Document }[],
  { about }: CompanyJobDocument,
  { mongo }: JobDeps,
): Promise<void> {
  for (const [name, of] of Map.groupBy(portion, (each) => each.name)) {
    const ofCompany = EXPORTED.find((each) => each.name === name)?.ofCompany ?? null;
    if (ofCompany === null) continue;
    const field = String(Object.keys(companyFilter(ofCompany, about))[0]);
    for (const { document } of of) assertOwn(name, document, field, about);
    const puts = of.map(({ document }) => ({
      replaceOne: {
        filter: { _id: document._id as unknown, [field]: about } as never,
        replacement: document,
        upsert: true,
      },
    }));
    await mongo
      .collection(name)
      .bulkWrite(puts, { ordered: false })
      .catch((cause: unknown) => {
        if (!isDuplicateKey(cause)) throw cause;
        throw new JobFault(`Two documents of "${name}" have the same id, key or name.`, { cause });
      });
  }
}

function assertOwn(name: string, document: mongo.Document, field: string, about: string): void {
  const [first = '', second] = field.split('.');
  const value: unknown = document[first];
  const owners = second === undefined ? [value] : (value as Record<string, unknown>[]).map((each) => each[second]);
  if (owners.length !== 1 || owners[0] !== about)
    throw new JobFault(`A document of "${name}" does not belong to the company of the file.`);
}

async function makeCompany({ about, name, requested_by }: CompanyJobDocument, { mongo }: JobDeps): Promise<void> {
  const companies = new CompanyRepository(mongo);
  if (await companies.find(new TenantScope(about))) return;
  const company = { _id: about, name, active: true, created_at: new Date(mongo.serverNow()) };
  const isMade = await companies.create(IMPORTING, company, requested_by.user_id, {
    action_type: 'company_created',
    collection: 'companies',
    company_id: about,
    UserID: requested_by.user_id,
    UserEmail: requested_by.email,
    resource_type: 'company',
    resource_id: about,
  });
  if (!isMade)
    throw new JobFault('The account of who asked for the import is gone: nobody would administer the company.');
}
