import { scratchFolder } from '@weft/testing';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { ROOT } from '#tools/setup/root.mjs';
import type { KubeApi, KubeObject } from './kube-api.js';

interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly secretKeyRef?: { readonly name: string; readonly key: string; readonly optional?: boolean };
  };
}

interface Probe {
  readonly httpGet: { readonly path: string };
  readonly periodSeconds: number;
  readonly timeoutSeconds: number;
}

interface Container {
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly {
    readonly configMapRef?: { readonly name: string };
    readonly secretRef?: { readonly name: string };
  }[];
  readonly ports: readonly { readonly containerPort: number }[];
  readonly startupProbe: Probe;
  readonly readinessProbe: Probe;
}

export interface Pod extends KubeObject {
  readonly metadata: KubeObject['metadata'] & { readonly uid: string; readonly namespace: string };
  readonly spec: {
    readonly nodeName?: string;
    readonly terminationGracePeriodSeconds: number;
    readonly containers: readonly [Container];
  };
  readonly status?: { readonly podIP?: string };
}

const LAST_WORDS = 2_000;

/** The process that a pod describes: its command, its environment and its probe, at the pod's own address. */
export class PodProcess {
  isReady = false;
  restarts = 0;
  /** The largest resident memory that was seen, in MB. */
  peakMb = 0;
  readonly startedAt = new Date().toISOString();
  private output = '';
  private metricsToken = '';
  private child: ChildProcess | undefined;
  private hasStarted?: ChildProcess;
  private isStopping = false;

  constructor(
    private readonly api: KubeApi,
    readonly pod: Pod,
    readonly ip: string,
  ) {}

  private get port(): number | undefined {
    return this.pod.spec.containers[0].ports[0]?.containerPort;
  }

  get component(): string {
    return this.pod.metadata.labels?.['app.kubernetes.io/component'] ?? '';
  }

  get log(): string {
    return this.output;
  }

  readonly metricsPage = async (): Promise<string> => {
    const headers = { authorization: `Bearer ${this.metricsToken}` };
    const answer = await fetch(`http://${this.ip}:${this.port}/metrics`, {
      headers,
      signal: AbortSignal.timeout(2_000),
    });
    return answer.text();
  };

  async start(): Promise<void> {
    const [{ command, startupProbe, readinessProbe }] = this.pod.spec.containers;
    const [, ...args] = command;
    const env = await this.environment();
    this.metricsToken = env.METRICS_TOKEN ?? '';
    if (this.isStopping) return;
    // `node` of the image is the Node that runs this test.
    const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.child = child;
    const take = (chunk: Buffer): void => void (this.output = (this.output + chunk.toString()).slice(-200_000));
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.once('exit', () => {
      this.isReady = false;
      if (this.isStopping) return;
      process.stderr.write(`${this.pod.metadata.name} ended:\n${this.output.slice(-LAST_WORDS)}\n`);
      this.restarts += 1;
      void pause(1_000).then(() => this.start());
    });
    void this.probe(child, startupProbe, readinessProbe);
  }

  /** As a kubelet does it: SIGTERM, and SIGKILL after the pod's grace. Resolves when the process has ended. */
  async stop(): Promise<void> {
    this.isStopping = true;
    const { child } = this;
    if (child === undefined || hasEnded(child)) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    const forced = setTimeout(() => child.kill('SIGKILL'), this.pod.spec.terminationGracePeriodSeconds * 1_000);
    await ended;
    clearTimeout(forced);
  }

  /** The second one counts once the first one has succeeded. */
  private async probe(child: ChildProcess, startup: Probe, readiness: Probe): Promise<void> {
    while (!hasEnded(child)) {
      const { httpGet, periodSeconds, timeoutSeconds } = this.hasStarted === child ? readiness : startup;
      const signal = AbortSignal.timeout(timeoutSeconds * 1_000);
      const answer = await fetch(`http://${this.ip}:${this.port}${httpGet.path}`, { signal }).catch(() => null);
      await answer?.body?.cancel();
      this.isReady = answer?.status === 200;
      if (this.isReady) this.hasStarted = child;
      this.peakMb = Math.max(this.peakMb, residentMb(child.pid));
      await pause(periodSeconds * 1_000);
    }
  }

  private async environment(): Promise<Record<string, string>> {
    const [{ env = [], envFrom = [] }] = this.pod.spec.containers;
    const { namespace, name } = this.pod.metadata;
    const base = `/api/v1/namespaces/${namespace}`;
    const values: Record<string, string> = { PATH: process.env.PATH ?? '', HOSTNAME: name };
    for (const { configMapRef, secretRef } of envFrom) {
      if (configMapRef) Object.assign(values, await dataOf(this.api, `${base}/configmaps/${configMapRef.name}`));
      if (secretRef) Object.assign(values, decoded(await dataOf(this.api, `${base}/secrets/${secretRef.name}`)));
    }
    for (const { name: key, value, valueFrom } of env) {
      const from = valueFrom?.secretKeyRef;
      if (from === undefined) values[key] = value ?? '';
      else values[key] = decoded(await dataOf(this.api, `${base}/secrets/${from.name}`))[from.key] ?? '';
    }
    // In place of the pod's own network and of its mounted folders.
    return { ...values, SERVER_HOST: this.ip, WEFT_DATA_DIR: scratchFolder('pod') };
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function dataOf(api: KubeApi, path: string): Promise<Record<string, string>> {
  return (await api.get<{ data?: Record<string, string> }>(path)).data ?? {};
}

function decoded(data: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
}

function residentMb(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1_024);
  } catch {
    return 0; // it has just ended
  }
}
