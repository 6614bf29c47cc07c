import { Injectable } from '@nestjs/common';
import { JOB_NAMES, type JobName, type JobView } from '@weft/contracts';
import { WeftError } from '@weft/kernel';
import { JOBS, JobRepository } from '@weft/records';
import { InvalidationBus } from '@weft/realtime-bus';
import { actorEntry, type Actor } from '../audit/actor-entry.js';
import { toJobView } from './job.view.js';

/** The background jobs of the installation, for its admins. */
@Injectable()
export class JobsService {
  constructor(
    private readonly jobs: JobRepository,
    private readonly bus: InvalidationBus,
  ) {}

  async list(): Promise<JobView[]> {
    const found = await this.jobs.list();
    return JOB_NAMES.map((name) => toJobView(name, found.find(({ _id }) => _id === name) ?? null));
  }

  /** @throws WeftError `not_found` */
  async read(name: string): Promise<JobView> {
    const job = (await this.list()).find((each) => each.name === name);
    if (!job) throw notFound();
    return job;
  }

  /** @throws WeftError `not_found`, also while no scheduler knows the job */
  async requestRun(actor: Actor, name: string): Promise<JobView> {
    if (!isJobName(name)) throw notFound();
    const subject = { collection: JOBS, resource_type: 'job', resource_id: name };
    if (!(await this.jobs.ask(name, actorEntry(actor, 'job_requested', subject)))) throw notFound();
    this.bus.publish({ kind: 'job', id: name });
    return this.read(name);
  }
}

function isJobName(name: string): name is JobName {
  return (JOB_NAMES as readonly string[]).includes(name);
}

function notFound(): WeftError {
  return new WeftError('not_found', `There is no such job; those are ${JOB_NAMES.join(', ')}.`);
}
