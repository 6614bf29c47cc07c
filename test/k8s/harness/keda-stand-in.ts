import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { waitFor } from '@weft/testing';
import { afterAll } from 'vitest';
import type { ControlPlane } from './control-plane.js';
import { adapterService, externalMetrics } from './keda.js';
import type { KubeObject } from './kube-api.js';
import type { Kubelet } from './kubelet.js';

const METRIC = 's0-composite';
const PORT = 6444;

interface ScaledObject extends KubeObject {
  readonly spec: {
    readonly minReplicaCount: number;
    readonly maxReplicaCount: number;
    readonly advanced: {
      readonly scalingModifiers: { readonly target: string };
      readonly horizontalPodAutoscalerConfig: { readonly name: string; readonly behavior: object };
    };
  };
}

/**
 * For a run without KEDA: the autoscaler that KEDA makes of the ScaledObject, and its metric. The autoscaler's controller is the real
 * one. It does not show KEDA's own parts: its polling, its formula, its fallback, scaling to zero.
 */
export async function standInForKeda(
  { api, certificates }: ControlPlane,
  scaled: KubeObject,
  kubelet: Kubelet,
): Promise<void> {
  const pem = (name: string) => readFileSync(join(certificates, name));
  const server = createServer({ key: pem('keda.key'), cert: pem('keda.crt') }, (request, response) => {
    const json = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (request.url?.includes(METRIC) !== true) return json(200, RESOURCES);
    backlogAndRunning(kubelet).then(
      (value) => json(value === null ? 500 : 200, value === null ? { message: 'unknown' } : valueList(value)),
      (error: unknown) => json(500, { message: String(error) }),
    );
  });
  server.listen(PORT, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  await api.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'keda' } });
  for (const one of [adapterService(PORT), externalMetrics(PORT)]) await api.apply(one);
  const isServed = async () => (await api.send('GET', '/apis/external.metrics.k8s.io/v1beta1')).status === 200;
  await waitFor(isServed, { what: 'the external metrics', withinMs: 120_000 });
  await api.apply(autoscalerOf(scaled as ScaledObject));
}

const LIST = 'external.metrics.k8s.io/v1beta1';
const RESOURCES = { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: LIST, resources: [] };

function valueList(value: number) {
  const item = { metricName: METRIC, metricLabels: {}, timestamp: new Date().toISOString(), value: String(value) };
  return { kind: 'ExternalMetricValueList', apiVersion: LIST, metadata: {}, items: [item] };
}

/** The larger answer of the schedulers; null when none shows both. */
async function backlogAndRunning(kubelet: Kubelet): Promise<number | null> {
  const pages = await Promise.all(kubelet.of('scheduler').map(({ metricsPage }) => metricsPage().catch(() => '')));
  const sums = pages.flatMap((page) => {
    const [backlog, running] = ['backlog', 'running'].map(
      (name) => new RegExp(`^weft_${name}_plays (\\S+)$`, 'm').exec(page)?.[1],
    );
    return backlog === undefined || running === undefined ? [] : [Number(backlog) + Number(running)];
  });
  return sums.length === 0 ? null : Math.max(...sums);
}

function autoscalerOf({ metadata: { namespace }, spec }: ScaledObject) {
  const { scalingModifiers, horizontalPodAutoscalerConfig: config } = spec.advanced;
  const target = { type: 'AverageValue', averageValue: scalingModifiers.target };
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: config.name, namespace },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'worker' },
      minReplicas: spec.minReplicaCount,
      maxReplicas: spec.maxReplicaCount,
      metrics: [{ type: 'External', external: { metric: { name: METRIC }, target } }],
      behavior: config.behavior,
    },
  };
}
