import type { PlayJob, QueueJob } from '@weft/contracts';
import { Batch, serversOf, type QueueKeys, type Redis } from '@weft/redis';
import type { Job } from 'bullmq';
import { randomUUID } from 'node:crypto';
import { LabelInspector, type ShardDepth } from './label-inspector.js';

/** The labels of workers that companies have, by company: few. As they are stored now: a company that is missing has none. */
export type ReadLabels = () => Promise<ReadonlyMap<string, string>>;

const NO_LABELS: ReadLabels = () => Promise.resolve(new Map());

/**
 * Reads what Redis knows of plays' jobs, for the reconciler. A play's job is looked for in the queues of the label that its company
 * has now: after a change, one that waits in another queue is without a job, and gets a new one where it belongs.
 */
export class QueueInspector {
  private readonly byLabel = new Map<string | null, LabelInspector>();

  constructor(
    private readonly redis: Redis,
    private readonly keys: QueueKeys,
    private readonly labelled: ReadLabels = NO_LABELS,
  ) {}

  /**
   * The plays whose job no worker will get or has.
   *
   * @param sureBy `record`: a job that Redis has a record of counts as being in a list, unless its shard has no jobs at all;
   * `lists`: the job is looked for in the lists, which reads them completely
   * @throws when Redis or MongoDB does not answer: then nothing is known of any play
   */
  async missing<T extends Pick<PlayJob, 'playId' | 'epoch' | 'companyId'>>(
    jobs: readonly T[],
    sureBy: 'record' | 'lists' = 'record',
  ): Promise<T[]> {
    if (jobs.length === 0) return [];
    // not from memory: the scheduler looks once at what a change of labels concerns
    const labelled = await this.labelled();
    const byLabel = Map.groupBy(jobs, ({ companyId }) => labelled.get(companyId) ?? null);
    const found = [...byLabel].map(([label, of]) => this.of(label).missing(of, sureBy));
    return (await Promise.all(found)).flat();
  }

  /** Whether the queues have no jobs at all. @throws when Redis does not answer */
  async isEmpty(): Promise<boolean> {
    return (await this.each((one) => one.isEmpty())).every(Boolean);
  }

  /** Jobs that BullMQ gave up. */
  async failed(limit: number): Promise<Job<QueueJob>[]> {
    return (await this.each((one) => one.failed(limit))).flat();
  }

  /**
   * A text that changes when Redis lost data or was replaced: for each shard a key of ours that is lost with its data, and for each
   * server its run id and its replication id. It also changes when a company gets another label: its jobs are in other queues then.
   */
  async generation(): Promise<string> {
    const labelled = await this.labelled();
    const of = labelsIn(labelled).map((label) => this.keys.of(label));
    const keys = of.flatMap((own) => Array.from({ length: own.shards }, (_, shard) => own.generation(shard)));
    const batch = new Batch(this.redis);
    for (const key of keys) batch.of(key).set(key, randomUUID(), 'NX');
    for (const key of keys) batch.of(key).get(key);
    const servers = Promise.all(serversOf(this.redis).map((server) => server.info()));
    const [answers, infos] = await Promise.all([batch.answers(), servers]);
    const ids = infos.map((info) => /^run_id:\S+/m.exec(info)?.[0] + (/^master_replid:\S+/m.exec(info)?.[0] ?? ''));
    const labels = [...labelled].map((pair) => pair.join('=')).sort();
    return [...answers.slice(keys.length), ...ids.sort(), ...labels].join(' ');
  }

  /** Plays whose jobs wait for a worker or are with one, by shard of each label. */
  async shards(): Promise<ShardDepth[]> {
    return (await this.each((one) => one.shards())).flat();
  }

  /** The same, added up over all shards. */
  async depth(): Promise<{ waiting: number; active: number }> {
    const sum = { waiting: 0, active: 0 };
    for (const { waiting, active } of await this.shards()) {
      sum.waiting += waiting;
      sum.active += active;
    }
    return sum;
  }

  async close(): Promise<void> {
    await Promise.all([...this.byLabel.values()].map((one) => one.close()));
  }

  private async each<T>(ask: (one: LabelInspector) => Promise<T>): Promise<T[]> {
    const labels = labelsIn(await this.labelled());
    return Promise.all(labels.map((label) => ask(this.of(label))));
  }

  private of(label: string | null): LabelInspector {
    const known = this.byLabel.get(label);
    if (known) return known;
    const made = new LabelInspector(this.redis, this.keys.of(label));
    this.byLabel.set(label, made);
    return made;
  }
}

function labelsIn(labelled: ReadonlyMap<string, string>): (string | null)[] {
  return [null, ...[...new Set(labelled.values())].sort()];
}
