import { createGzip } from 'node:zlib';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import mongoose, { type mongo } from 'mongoose';
import { fileIdOf } from '@weft/contracts';
import {
  API_KEYS,
  companyFilter,
  COMPANIES,
  EXPORTED,
  USERS,
  type ApiKeyDocument,
  type CompanyDocument,
  type CompanyJobDocument,
} from '@weft/records';
import { TenantScope, type SnapshotRead } from '@weft/store';
import { COMPANY_FORMAT, lineOf, type CompanyHead } from './company-file.js';
import { JobFault } from './job-fault.js';
import type { JobDeps, JobOutcome } from './job-deps.js';
import { withoutSecrets } from './without-secrets.js';

const SHOW_EVERY = 2_000;
const MOST_NAMES = 1_000;
const SNAPSHOT_TOO_OLD = 239;

/**
 * Writes all that defines a company to a file of the company of who asked for it, as it is at one moment. No more than a document
 * is in memory.
 */
export async function exportCompany(job: CompanyJobDocument, deps: JobDeps): Promise<JobOutcome> {
  const { mongo, payloads } = deps;
  const counts: Record<string, number> = {};
  try {
    return await mongo.snapshot(async (at) => {
      const packed = createGzip();
      const packing = pipeline(Readable.from(linesOf(job, deps, counts, at)), packed);
      const { company_id, user_id: by } = job.requested_by;
      const label = { contentType: 'application/gzip', filename: `${fileName(job.name)}.weft-company.gz`, by };
      const [file] = await Promise.all([payloads.userFiles.take(new TenantScope(company_id), packed, label), packing]);
      return { counts, file: fileIdOf(file) ?? '' };
    });
  } catch (error) {
    if (error instanceof mongoose.mongo.MongoServerError && error.code === SNAPSHOT_TOO_OLD)
      throw new JobFault('The export took longer than MongoDB keeps one moment readable (five minutes).', {
        cause: error,
      });
    throw error;
  }
}

async function* linesOf(
  job: CompanyJobDocument,
  deps: JobDeps,
  counts: Record<string, number>,
  at: () => SnapshotRead,
): AsyncGenerator<string> {
  const { mongo } = deps;
  yield `${JSON.stringify(await headOf(job, deps, at))}\n`;
  let written = 0;
  for (const { name, ofCompany } of EXPORTED) {
    if (ofCompany === null) continue;
    const found = mongo.collection(name).find(companyFilter(ofCompany, job.about), { ...at(), promoteValues: false });
    for await (const document of found.sort({ _id: 1 })) {
      yield lineOf({ collection: name, document: ofThisCompany(name, withoutSecrets(name, document), job.about) });
      counts[name] = (counts[name] ?? 0) + 1;
      written += 1;
      if (written % SHOW_EVERY === 0) await deps.show(counts);
    }
  }
  yield `${JSON.stringify({ counts })}\n`;
}

/** What an account has in other companies is theirs. */
function ofThisCompany(collection: string, document: mongo.Document, companyId: string): mongo.Document {
  if (collection !== USERS) return document;
  const places = document.company_roles as readonly { readonly company_id: string }[];
  return { ...document, company_roles: places.filter(({ company_id }) => company_id === companyId) };
}

async function headOf(
  { about }: CompanyJobDocument,
  { mongo, version }: JobDeps,
  at: () => SnapshotRead,
): Promise<CompanyHead> {
  const company = await mongo.collection<CompanyDocument>(COMPANIES).findOne({ _id: about }, at());
  if (!company) throw new JobFault('The company is gone.');
  const keys = mongo.collection<ApiKeyDocument>(API_KEYS).find({ company_id: about, revoked_at: null }, at());
  const api_keys = (await keys.limit(MOST_NAMES).toArray()).map(({ name }) => name);
  const { _id: id, name } = company;
  return {
    format: COMPANY_FORMAT,
    version,
    at: new Date(mongo.serverNow()).toISOString(),
    company: { id, name },
    left_out: { api_keys },
  };
}

function fileName(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}]+/gu, '-').slice(0, 80);
}
