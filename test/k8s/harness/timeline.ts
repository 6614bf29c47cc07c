import { setTimeout as pause } from 'node:timers/promises';
import { afterAll } from 'vitest';
import type { KubeApi } from './kube-api.js';
import type { Kubelet } from './kubelet.js';

interface Sample {
  readonly second: number;
  readonly waiting: string;
  readonly running: string;
  readonly asked: number;
  readonly ready: number;
  readonly note: string;
}

const EVERY_MS = 1_000;
/** Of the samples without a note, one in this many is shown. */
const SHOWN = 10;

/** What was seen during a run, each second: the schedulers' gauges, the Deployment and the processes. */
export class Timeline {
  private readonly samples: Sample[] = [];
  private startedAt = 0;
  private readonly notes: string[] = [];

  constructor(
    private readonly api: KubeApi,
    private readonly namespace: string,
    private readonly kubelet: Kubelet,
  ) {}

  start(): void {
    this.startedAt = performance.now();
    const stopped = new AbortController();
    const loop = (async () => {
      while (!stopped.signal.aborted) {
        await this.sample().catch(() => undefined);
        await pause(EVERY_MS);
      }
    })();
    afterAll(async () => {
      stopped.abort();
      await loop;
    });
  }

  note(text: string): void {
    this.notes.push(text);
  }

  /** How many workers the Deployment asked for, in each second since then. */
  askedSince(second: number): readonly number[] {
    return this.samples.filter((sample) => sample.second > second).map(({ asked }) => asked);
  }

  get seconds(): number {
    return Math.round((performance.now() - this.startedAt) / 1_000);
  }

  /** In Markdown. */
  table(): string {
    const rows = this.samples
      .filter(({ note }, i) => note !== '' || i % SHOWN === 0)
      .map(({ second, waiting, running, asked, ready, note }) =>
        [second, waiting, running, asked, ready, note].join(' | '),
      );
    const peaks = ['api', 'realtime', 'scheduler', 'worker'].map((component) => {
      const own = this.kubelet.all.filter((process) => process.component === component);
      return `${component} ${Math.max(0, ...own.map(({ peakMb }) => peakMb))} MB`;
    });
    return [
      '| s | plays that wait | plays that run | workers asked for | workers ready | |',
      '| --- | --- | --- | --- | --- | --- |',
      ...rows.map((row) => `| ${row} |`),
      '',
      `Largest resident memory: ${peaks.join(', ')}.`,
    ].join('\n');
  }

  private async sample(): Promise<void> {
    const note = this.notes.splice(0).join('; ');
    const [gauges, asked] = await Promise.all([this.gauges(), this.asked()]);
    const ready = this.kubelet.of('worker').filter(({ isReady }) => isReady).length;
    this.samples.push({ second: this.seconds, ...gauges, asked, ready, note });
  }

  private async asked(): Promise<number> {
    const path = `/apis/apps/v1/namespaces/${this.namespace}/deployments/worker`;
    return (await this.api.get<{ spec: { replicas: number } }>(path)).spec.replicas;
  }

  /** Of a scheduler that shows them: they are absent while a store is unreachable. */
  private async gauges(): Promise<{ waiting: string; running: string }> {
    const pages = await Promise.all(
      this.kubelet.of('scheduler').map(({ metricsPage }) => metricsPage().catch(() => '')),
    );
    const value = (name: string): string => {
      const values = pages.flatMap((page) => new RegExp(`^${name} (\\S+)$`, 'm').exec(page)?.[1] ?? []);
      return values.length === 0 ? 'unknown' : String(Math.max(...values.map(Number)));
    };
    return { waiting: value('weft_backlog_plays'), running: value('weft_running_plays') };
  }
}
