import { ApiClient, ledgerServer, liveMongo, privateRedis, scratchFolder, TEST_ADMIN, waitFor } from '@weft/testing';
import { createHash } from 'node:crypto';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { afterAll, describe, expect, it } from 'vitest';
import { findKubectl } from '#tools/deploy/deploy-tools.mjs';
import { buildFolder } from '#tools/deploy/manifests.mjs';
import { buildControlPlane } from '#tools/k8s/build.mjs';
import { inRoot } from '#tools/setup/root.mjs';
import { run } from '#tools/setup/run.mjs';
import { repeatedCalls } from '../chaos/harness/call-faults.js';
import { watchPlays } from '../chaos/harness/cluster.js';
import { answerEffects, effectFlow, spread } from '../chaos/harness/effect-flow.js';
import { faultsAfter } from '../chaos/harness/faults.js';
import { steadyLoad } from '../chaos/harness/steady-load.js';
import { startControlPlane } from './harness/control-plane.js';
import { standInForKeda } from './harness/keda-stand-in.js';
import { installDefinitions, KEDA_DEFINITIONS, startKeda } from './harness/keda.js';
import type { KubeObject } from './harness/kube-api.js';
import { Kubelet } from './harness/kubelet.js';
import { asProved } from './harness/as-proved.js';
import { serviceProxy } from './harness/service-proxy.js';
import { Timeline } from './harness/timeline.js';

const NAMESPACE = 'weft';
const PLAYS = 5_000;
const BATCH = 1_000;
const MOST_WORKERS = 6;
const LEAST_WORKERS = 2;
const RUNS_PER_SECOND = 20;
/** On a machine that does much else, the calls of a thousand layers may take long. */
const LAYER_TIMEOUT_MS = 240_000;
const MINUTE_MS = 60_000;
const NONE_AFTER_SECONDS = 15;
/** One a second: twice the time after which unneeded workers are removed here. */
const LOOKS = 40;
const MORE_DEFINITIONS = [
  'gateway.networking.k8s.io_gateways.yaml',
  'gateway.networking.k8s.io_httproutes.yaml',
  'monitoring.coreos.com_servicemonitors.yaml',
  'monitoring.coreos.com_prometheusrules.yaml',
];

const mongo = liveMongo();
const redis = await privateRedis();
const servers = { mongodbUri: mongo.uri, mongodbDb: mongo.db, redisUrl: redis.uri, queuePrefix: 'weft' };
const ledger = await ledgerServer();
afterAll(() => ledger.close());
const watched = { ...(await watchPlays(servers)), ledger };

/** False: a run without KEDA, which shows less: `keda-stand-in.ts`. */
const HAS_KEDA = process.env.WEFT_PROVE_KEDA !== 'false';

const kubectl = await findKubectl(process.env);
const binaries = await buildControlPlane(process.env, { keda: HAS_KEDA });
const plane = await startControlPlane(binaries, ['node-a', 'node-b', 'node-c']);
const { api } = plane;
await installDefinitions(plane, MORE_DEFINITIONS);
if (HAS_KEDA) await startKeda(plane, binaries);
else await installDefinitions(plane, KEDA_DEFINITIONS);

const manifests = asProved(await buildFolder(kubectl, 'k8s/overlays/prod'), {
  settings: {
    MONGODB_DB: servers.mongodbDb,
    QUEUE_PREFIX: servers.queuePrefix,
    EGRESS_ALLOW: '127.0.0.1/32',
    WEFT_ADMIN_EMAIL: TEST_ADMIN.email,
  },
  maxWorkers: MOST_WORKERS,
});
const kubelet = new Kubelet(api, NAMESPACE);
const timeline = new Timeline(api, NAMESPACE, kubelet);

/** The documented script, with the `kubectl` that the checks use. */
async function rollOut(all: readonly KubeObject[]): Promise<string> {
  const folder = scratchFolder('rollout');
  const file = join(folder, 'built.yaml');
  writeFileSync(file, all.map((one) => stringify(one)).join('---\n'));
  mkdirSync(join(folder, 'bin'));
  symlinkSync(kubectl, join(folder, 'bin', 'kubectl'));
  const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env.PATH}`, KUBECONFIG: plane.kubeconfig };
  const { code, output } = await run('sh', [inRoot('k8s', 'rollout.sh'), file], { env });
  if (code !== 0) throw new Error(`rollout.sh: ${output}`);
  return output;
}

function secret(name: string, data: Readonly<Record<string, string>>) {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: NAMESPACE }, stringData: data };
}

const hex = (name: string) => createHash('sha256').update(name).digest('hex');

const find = (wanted: string) => manifests.find(({ kind }) => kind === wanted) as KubeObject;

await api.apply(find('Namespace'));
await api.apply(
  secret('weft-secrets', {
    ...{ MONGODB_URI: servers.mongodbUri, REDIS_URL: servers.redisUrl },
    ...{ ENC_KEY_SECRET: hex('key'), ENV_KEY_SALT: hex('salt'), METRICS_TOKEN: hex('metrics') },
  }),
);
await api.apply(secret('weft-first-admin', { password: TEST_ADMIN.password }));
kubelet.start();

const deployment = (name: string) =>
  api.get<{ spec: { replicas: number }; status: { readyReplicas?: number } }>(
    `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/${name}`,
  );
const replicas = async () => (await deployment('worker')).spec.replicas;
const askedFor = (isMet: (count: number) => boolean, withinMs: number) =>
  waitFor(async () => isMet(await replicas()), { what: 'another number of workers to be asked for', withinMs });
const readyWorkers = () => kubelet.of('worker').filter(({ isReady }) => isReady).length;
async function fallsBack(): Promise<boolean> {
  const { status } = await api.get<{ status: { conditions: { type: string; status: string }[] } }>(
    `/apis/keda.sh/v1alpha1/namespaces/${NAMESPACE}/scaledobjects/worker`,
  );
  return status.conditions.some((one) => one.type === 'Fallback' && one.status === 'True');
}

const accepted: string[] = [];
let client: ApiClient;
let flowId: string;

async function enqueue(count: number): Promise<void> {
  for (let from = 0; from < count; from += BATCH) {
    const runs = Array.from({ length: Math.min(BATCH, count - from) }, (_, n) => ({ args: { n: from + n } }));
    const { status, body } = await client.send<{ items: { playId: string }[] }>(
      'POST',
      `/api/v1/flows/${flowId}/run-batch`,
      { runs },
    );
    expect([status, body]).toEqual([expect.toSatisfy((code: number) => code < 300), expect.anything()]);
    accepted.push(...body.items.map(({ playId }) => playId));
  }
}

describe('the manifests of k8s/overlays/prod on a real control plane', () => {
  it('are installed by rollout.sh: all pods get ready as real processes, in a namespace that refuses pods that may run as root', async () => {
    await rollOut(manifests);
    const url = await serviceProxy(api, NAMESPACE, 'api');
    await waitFor(async () => (await fetch(`${url}/health/ready`)).status === 200, {
      what: 'the API',
      withinMs: MINUTE_MS,
    });
    client = await new ApiClient(url).login();
    flowId = await effectFlow(client, ledger.url, {}, { timeoutMs: LAYER_TIMEOUT_MS });
    const unguarded = {
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'unguarded', namespace: NAMESPACE } },
      spec: { containers: [{ name: 'root', image: 'x' }] },
    };
    const refused = await api.send<{ message: string }>('POST', `/api/v1/namespaces/${NAMESPACE}/pods`, unguarded);
    expect([refused.status, refused.body.message]).toEqual([
      403,
      expect.stringContaining('violates PodSecurity "restricted'),
    ]);
    if (!HAS_KEDA) await standInForKeda(plane, find('ScaledObject'), kubelet);
    await askedFor((count) => count === LEAST_WORKERS, 3 * MINUTE_MS);
    await waitFor(() => readyWorkers() === LEAST_WORKERS, { what: 'the workers', withinMs: 3 * MINUTE_MS });
    timeline.start();
  });

  it('scale the workers with the backlog, which drains, and back again; nothing is lost, no layer is called twice', async () => {
    answerEffects(ledger, { delayMs: (_call, nth) => 2_000 + spread(nth, 4_000) });
    timeline.note(`${PLAYS} runs are accepted`);
    await enqueue(PLAYS);
    await askedFor((count) => count === MOST_WORKERS, 3 * MINUTE_MS);
    timeline.note(`the Deployment asks for ${MOST_WORKERS} workers`);
    await waitFor(() => readyWorkers() === MOST_WORKERS, { what: 'that many processes', withinMs: 4 * MINUTE_MS });
    timeline.note(`${MOST_WORKERS} worker processes are ready`);
    await waitFor(async () => (await watched.open(accepted)) === 0, {
      what: 'the plays to end',
      withinMs: 8 * MINUTE_MS,
    });
    timeline.note('all plays have ended');
    await askedFor((count) => count === LEAST_WORKERS, 5 * MINUTE_MS);
    const isSmall = () => kubelet.of('worker').length === LEAST_WORKERS;
    await waitFor(isSmall, { what: 'fewer processes', withinMs: 3 * MINUTE_MS });
    timeline.note(`${LEAST_WORKERS} workers are left`);
    expect(await faultsAfter(watched, { accepted })).toEqual([]);
    expect(accepted).toHaveLength(PLAYS);
    expect(repeatedCalls(ledger.calls)).toBe(0);
  });

  it('keep the workers while Redis is down: unknown work is not taken for no work', async () => {
    answerEffects(ledger, { delayMs: (_call, nth) => 2_000 + spread(nth, 4_000) });
    await enqueue(BATCH * 2);
    await askedFor((count) => count >= 4, 3 * MINUTE_MS);
    const before = await replicas();
    await redis.kill();
    timeline.note('Redis is killed');
    if (HAS_KEDA) {
      await waitFor(fallsBack, { what: 'the fallback', withinMs: 2 * MINUTE_MS });
      timeline.note('KEDA falls back');
    }
    const since = timeline.seconds;
    const looks = () => timeline.askedSince(since).length;
    await waitFor(() => looks() >= LOOKS, {
      what: 'a time in which unneeded workers are removed',
      withinMs: 2 * MINUTE_MS,
    });
    expect(timeline.askedSince(since).filter((asked) => asked < before)).toEqual([]);
    await redis.start();
    timeline.note('Redis is back');
    const withinMs = 6 * MINUTE_MS;
    expect(await faultsAfter(watched, { accepted, crashes: 1, withinMs })).toEqual([]);
  });

  it('are upgraded by rollout.sh under load: no request fails, nothing is lost, no layer is called twice', async () => {
    answerEffects(ledger, { delayMs: (_call, nth) => spread(nth, 500) });
    const before = repeatedCalls(ledger.calls);
    const old = new Set([...kubelet.running.keys()]);
    const load = steadyLoad(RUNS_PER_SECOND, (n) => client.run(flowId, { args: { n } }));
    timeline.note('a rolling update begins');
    const next = manifests.map((one) => (one.kind === 'Deployment' ? withRevision(one) : one));
    await rollOut(next);
    timeline.note('the rolling update is done');
    await load.stop();
    expect(load.unanswered.map(({ error }) => error)).toEqual([]);
    accepted.push(...load.answered.map(({ value }) => value.playId));
    const gone = () => [...kubelet.running.keys()].every((uid) => !old.has(uid));
    await waitFor(gone, { what: 'the old pods to end within their grace', withinMs: 2 * MINUTE_MS });
    expect(await faultsAfter(watched, { accepted, crashes: 1, withinMs: 3 * MINUTE_MS })).toEqual([]);
    expect(repeatedCalls(ledger.calls)).toBe(before);
    timeline.note(`${load.answered.length} runs were accepted meanwhile`);
  });

  it('let one worker be evicted at a time', async () => {
    await waitFor(() => readyWorkers() >= LEAST_WORKERS, { what: 'workers', withinMs: MINUTE_MS });
    const [first, second] = kubelet.of('worker').map(({ pod }) => pod.metadata.name);
    const evict = (name = '') =>
      api.send<{ message: string }>('POST', `/api/v1/namespaces/${NAMESPACE}/pods/${name}/eviction`, {
        ...{ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: NAMESPACE } },
      });
    expect((await evict(first)).status).toBe(201);
    const refused = await evict(second);
    timeline.note(`one eviction is granted, the second refused: ${refused.status}`);
    expect([refused.status, refused.body.message]).toEqual([429, expect.stringContaining('disruption budget')]);
  });

  it.runIf(HAS_KEDA)('have no worker where no work is, if they may, and one for a run', async () => {
    answerEffects(ledger, {});
    await api.apply(downToNone(find('ScaledObject')));
    await askedFor((count) => count === 0, 3 * MINUTE_MS);
    await waitFor(() => kubelet.of('worker').length === 0, { what: 'no process', withinMs: 2 * MINUTE_MS });
    timeline.note('no worker is left');
    await enqueue(1);
    await askedFor((count) => count > 0, MINUTE_MS);
    timeline.note('one run is accepted: a worker is asked for');
    expect(await faultsAfter(watched, { accepted, crashes: 1, withinMs: 2 * MINUTE_MS })).toEqual([]);
    timeline.note('the run has ended');
  });
});

/** As in k8s/overlays/dev. */
function downToNone(manifest: KubeObject): KubeObject {
  const { spec } = manifest as KubeObject & { spec: object };
  return { ...manifest, spec: { ...spec, minReplicaCount: 0, cooldownPeriod: NONE_AFTER_SECONDS } } as KubeObject;
}

function withRevision(manifest: KubeObject): KubeObject {
  const { spec } = manifest as KubeObject & { spec: { template: { metadata: { annotations?: object } } } };
  const metadata = { ...spec.template.metadata, annotations: { 'weft.test/revision': '2' } };
  return { ...manifest, spec: { ...spec, template: { ...spec.template, metadata } } } as KubeObject;
}

/** Where the table of the run is written: the folder of this spec is not written to. */
afterAll(() => {
  const file = process.env.WEFT_PROVE_TABLE;
  const table = timeline.table();
  process.stdout.write(`${table}\n`);
  if (file === undefined) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, table);
});
