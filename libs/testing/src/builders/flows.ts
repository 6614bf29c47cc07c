/** Versions of flows and plays for specs: complete and valid, with the fields that a test is about in its own words. */
import { acceptPlay, type FlowVersion, type LayerDefinition, type Play, type RunRequest } from '@weft/engine';
import { layerShape, type FlowSettings } from '@weft/shapes';

export const SETTINGS: FlowSettings = { concurrency: null, timeoutMs: null, onMissing: 'fail', maxOutputBytes: null };

/** A `text-template` without options. */
export function aLayer(ref: string, fields: Partial<LayerDefinition> = {}): LayerDefinition {
  const layer = layerShape.parse({ ref, appId: 'text-template' });
  return { ...layer, id: `id-${ref}`, name: ref, index: 0, ...fields };
}

/** Version 1 of the flow `f` of the company `c`. */
export function aVersion(layers: readonly LayerDefinition[], fields: Partial<FlowVersion> = {}): FlowVersion {
  return { flowId: 'f', companyId: 'c', version: 1, name: 'Flow', settings: SETTINGS, layers, ...fields };
}

/** The play `p` of `aVersion`, accepted now. */
export function aPlay(request: Partial<RunRequest> = {}): Play {
  return acceptPlay({
    playId: 'p',
    companyId: 'c',
    flowId: 'f',
    version: 1,
    args: {},
    idempotencyKey: null,
    dueAt: null,
    trigger: 'api',
    triggeredBy: null,
    serverNow: new Date(),
    ...request,
  });
}
