import type { Manifest } from '#tools/deploy/manifests.mjs';
import type { KubeObject } from './kube-api.js';

export interface Changes {
  /** Besides those of the overlay. */
  readonly settings: Readonly<Record<string, string>>;
  readonly maxWorkers: number;
}

/** How long the autoscaler waits before it removes workers: five minutes in production. */
const SCALE_DOWN_AFTER_SECONDS = 20;

interface ScaledObjectSpec {
  readonly advanced: {
    readonly horizontalPodAutoscalerConfig: { readonly behavior: object };
  };
}

/** There are no volumes, and no time for what runs at night. */
const LEFT_OUT = ['CronJob', 'PersistentVolumeClaim'];

/** The overlay with what a test must change: where the stores are, and times and numbers that fit one small machine. */
export function asProved(manifests: readonly Manifest[], { settings, maxWorkers }: Changes): KubeObject[] {
  const used = manifests.filter(({ kind }) => !LEFT_OUT.includes(kind));
  return used.map((manifest) => {
    const { kind, metadata } = manifest;
    if (kind === 'ConfigMap' && metadata.name.startsWith('weft-settings')) {
      return { ...manifest, data: { ...(manifest.data as object), ...settings } };
    }
    return kind === 'ScaledObject'
      ? { ...manifest, spec: quicker(manifest.spec as ScaledObjectSpec, maxWorkers) }
      : manifest;
  });
}

function quicker(spec: ScaledObjectSpec, maxReplicaCount: number): object {
  const { horizontalPodAutoscalerConfig: autoscaler } = spec.advanced;
  const scaleDown = {
    stabilizationWindowSeconds: SCALE_DOWN_AFTER_SECONDS,
    policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
  };
  const horizontalPodAutoscalerConfig = { ...autoscaler, behavior: { ...autoscaler.behavior, scaleDown } };
  return { ...spec, maxReplicaCount, advanced: { ...spec.advanced, horizontalPodAutoscalerConfig } };
}
