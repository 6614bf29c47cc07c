import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@weft/config';
import { SecretBox } from '@weft/identity';
import { NEW_ID, type NewId } from '@weft/kernel';
import { LOG } from '@weft/observability';
import { Pass, productVersion } from '@weft/process';
import { AdmissionWindow } from '@weft/queue';
import { CompanyJobsRepository, LeasesRepository, type CompanyCounts, type CompanyJobDocument } from '@weft/records';
import { PlayCommands } from '@weft/runs';
import { Mongo, MongoPlayStore, OpenPlaysRepository, PayloadStore, SystemScope } from '@weft/store';
import type { Logger } from 'pino';
import { Glance, RESTS_FOR_MS } from '../glance.js';
import { JobFault } from './job-fault.js';
import { eraseCompany } from './erase-company.js';
import { endEntry } from './end-entry.js';
import { exportCompany } from './export-company.js';
import { forgetImport, importCompany } from './import-company.js';

const PASS = 'company jobs';
const ALL = new SystemScope('operators export, import and erase whole companies');
const LEASE_MS = 30_000;
/** Of a long erasure, before others have their turn. */
const WITHIN_MS = 60_000;
const JOBS_AT_ONCE = 20;
/** Every layer that was cancelled has ended by then, and every walk over companies has come to its end. */
const LOOK_AGAIN_MS = 60_000;
/** An export or an import that ends its process again and again is given up. */
const MOST_ATTEMPTS = 3;

/** Carries out what operators do with whole companies (ADR 134). Replicas share the jobs by leases; all work may be repeated. */
@Injectable()
export class CompanyJobs {
  private readonly jobs: CompanyJobsRepository;
  private readonly leases: LeasesRepository;
  private readonly holder: string;
  private readonly secrets: SecretBox;

  constructor(
    @Inject(LOG) private readonly log: Logger,
    @Inject(NEW_ID) newId: NewId,
    @Inject(SETTINGS) settings: Settings,
    private readonly mongo: Mongo,
    private readonly payloads: PayloadStore,
    private readonly window: AdmissionWindow,
    private readonly plays: OpenPlaysRepository,
    private readonly store: MongoPlayStore,
    private readonly commands: PlayCommands,
    glance: Glance,
  ) {
    this.jobs = new CompanyJobsRepository(mongo);
    this.leases = new LeasesRepository(mongo);
    this.holder = newId();
    this.secrets = new SecretBox(settings.secrets);
    glance.wake([PASS], () => [this.jobs.look()]);
  }

  @Pass({ name: PASS, everyMs: 2_000, restMs: RESTS_FOR_MS })
  async pass(stopping: AbortSignal): Promise<void> {
    for (const job of await this.jobs.running(ALL, JOBS_AT_ONCE)) {
      if (stopping.aborted) return;
      const lease = { name: `company-job:${job._id}`, holder: this.holder };
      if (!(await this.leases.take(ALL, lease, LEASE_MS))) continue;
      const until = performance.now() + WITHIN_MS;
      const isMine = () => this.leases.take(ALL, lease, LEASE_MS);
      const renewal = setInterval(() => void isMine().catch(() => undefined), LEASE_MS / 3); // work may be repeated by another process
      try {
        await this.work(job, async () => !stopping.aborted && performance.now() < until && (await isMine()));
      } finally {
        clearInterval(renewal);
        await this.leases.release(ALL, [lease.name], this.holder);
      }
    }
  }

  private async work(job: CompanyJobDocument, goesOn: () => Promise<boolean>): Promise<void> {
    const { mongo, payloads, jobs, window, plays, store, commands } = this;
    const attempts = await jobs.begin(ALL, job._id);
    if (attempts === null) return;
    try {
      if (job.kind === 'erasure') {
        const deps = { mongo, jobs, window, plays, store, commands, lookAgainMs: LOOK_AGAIN_MS };
        if (await eraseCompany(job, deps, goesOn)) await this.end(job, {});
        return;
      }
      if (attempts > MOST_ATTEMPTS) throw new JobFault(`It was begun ${MOST_ATTEMPTS} times and never ended.`);
      const work = job.kind === 'export' ? exportCompany : importCompany;
      const show = (counts: CompanyCounts) => jobs.show(ALL, job._id, counts);
      const deps = { mongo, payloads, secrets: this.secrets, version: productVersion(), show };
      const { counts, ...end } = await work(job, deps);
      await show(counts);
      await this.end(job, end);
    } catch (error) {
      if (!(error instanceof JobFault)) throw error;
      if (job.kind === 'import') await forgetImport(job, mongo);
      await this.end(job, { error: error.message });
    }
  }

  private async end(job: CompanyJobDocument, end: Parameters<CompanyJobsRepository['end']>[2]): Promise<void> {
    const ended = (await this.jobs.find(ALL, job._id)) ?? job;
    const told = {
      component: 'companies',
      kind: job.kind,
      job_id: job._id,
      company_id: job.about,
      counts: ended.counts,
    };
    this.log.info({ ...told, error: end.error }, 'a company was exported, imported or erased');
    await this.jobs.end(ALL, job._id, end, endEntry(ended, end.error));
  }
}
