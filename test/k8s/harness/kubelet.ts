import { setTimeout as pause } from 'node:timers/promises';
import { afterAll } from 'vitest';
import type { KubeApi } from './kube-api.js';
import { PodProcess, type Pod } from './pod-process.js';

const LOOK_EVERY_MS = 250;
/** kubelets of an own kind: the processes run on this machine, each at the address of its pod. */
const POD_NETWORK = '10.42.0';

/** Runs the pods of a namespace as real processes, and reports to the API server what a kubelet reports. */
export class Kubelet {
  readonly running = new Map<string, PodProcess>();
  /** All that ever ran, in the order of their start. */
  readonly all: PodProcess[] = [];
  private readonly reported = new Map<string, string>();
  private readonly ending = new Map<string, Promise<void>>();
  private isStopped = false;
  private addresses = 10;

  constructor(
    private readonly api: KubeApi,
    private readonly namespace: string,
  ) {}

  start(): void {
    const loop = (async () => {
      while (!this.isStopped) {
        await this.look().catch((error: unknown) => process.stderr.write(`kubelet: ${String(error)}\n`));
        await pause(LOOK_EVERY_MS);
      }
    })();
    afterAll(async () => {
      this.isStopped = true;
      await loop;
      await Promise.all([...this.running.values()].map((process) => process.stop()));
    });
  }

  of(component: string): PodProcess[] {
    return [...this.running.values()].filter((process) => process.component === component);
  }

  private async look(): Promise<void> {
    const pods = await this.api.list<Pod>(this.path());
    await Promise.all(pods.map((pod) => this.care(pod)));
  }

  private async care(pod: Pod): Promise<void> {
    const { uid, deletionTimestamp } = pod.metadata;
    if (pod.spec.nodeName === undefined) return;
    if (deletionTimestamp !== undefined && !this.ending.has(uid)) this.ending.set(uid, this.end(pod));
    if (deletionTimestamp === undefined && !this.running.has(uid)) await this.begin(pod);
    await this.report(pod);
  }

  private async begin(pod: Pod): Promise<void> {
    this.addresses += 1;
    const process = new PodProcess(this.api, pod, `${POD_NETWORK}.${this.addresses}`);
    this.running.set(pod.metadata.uid, process);
    this.all.push(process);
    await process.start();
  }

  private async end({ metadata: { uid, name } }: Pod): Promise<void> {
    await this.running.get(uid)?.stop();
    this.running.delete(uid);
    const options = { gracePeriodSeconds: 0, preconditions: { uid } };
    await this.api.send('DELETE', `${this.path()}/${name}`, options);
  }

  /** The pod's status, if it changed. */
  private async report({ metadata: { uid, name } }: Pod): Promise<void> {
    const process = this.running.get(uid);
    if (process === undefined) return;
    const { isReady, restarts } = process;
    const key = `${isReady} ${restarts}`;
    if (this.reported.get(uid) === key) return;
    this.reported.set(uid, key);
    await this.api.patch(`${this.path()}/${name}/status`, { status: statusOf(process) });
  }

  private path(): string {
    return `/api/v1/namespaces/${this.namespace}/pods`;
  }
}

function statusOf({ pod, ip, isReady, restarts, startedAt }: PodProcess) {
  const lastTransitionTime = new Date().toISOString();
  const condition = (type: string, is: boolean) => ({ type, status: is ? 'True' : 'False', lastTransitionTime });
  const [{ name, image }] = pod.spec.containers;
  return {
    phase: 'Running',
    ...{ podIP: ip, podIPs: [{ ip }], hostIP: '10.42.0.1', startTime: startedAt },
    conditions: [
      ...[condition('PodScheduled', true), condition('Initialized', true)],
      ...[condition('ContainersReady', isReady), condition('Ready', isReady)],
    ],
    containerStatuses: [
      {
        name,
        image,
        imageID: '',
        ready: isReady,
        started: true,
        restartCount: restarts,
        state: { running: { startedAt } },
      },
    ],
  };
}
