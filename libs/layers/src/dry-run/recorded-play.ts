/** What a play that has ended left for a rehearsal: its results replace those of layers that would reach outside. */
import { outOf, type FlowVersion, type LayerResult, type Play } from '@weft/engine';
import { moduleOf } from '../registry.js';
import { UnloadedOutput } from '../call/layer-call.js';

/** The play, and the version that it ran. */
export interface RecordedPlay {
  readonly play: Play;
  readonly version: FlowVersion;
}

export interface RecordedLayer {
  readonly appId: string;
  readonly result: LayerResult;
}

/** By ref: the results of layers that the version still names. */
export function recordedLayers({ play, version }: RecordedPlay): Map<string, RecordedLayer> {
  const found = new Map<string, RecordedLayer>();
  for (const result of play.layers) {
    const layer = version.layers[result.position];
    if (layer) found.set(layer.ref, { appId: layer.appId, result });
  }
  return found;
}

/** What later layers read of a result, wherever it is stored. */
export function recordedOut(result: LayerResult): unknown {
  return result.outRef ? new UnloadedOutput(result.outRef) : outOf(result);
}

/** Failures that a layer has before its module is called: they say nothing about what a call would give. */
const BEFORE_THE_CALL: ReadonlySet<string> = new Set([
  ...['expression_unresolved', 'expression_failed', 'sandbox_limit', 'invalid_args', 'unknown_app', 'cancelled'],
]);

/** Whether the layer was called and answered: its result can be that of another call. */
export function wasAnswered({ result }: RecordedLayer): boolean {
  return result.state === 'DONE' || (result.state === 'FAIL' && !BEFORE_THE_CALL.has(result.error?.code ?? ''));
}

/** Whether the module works in steps, which stay stored with the play. */
export function worksInSteps(appId: string): boolean {
  return moduleOf(appId)?.effect === 'steps';
}

/** Whether a call of the module is visible outside of its play, or waits for something there. */
export function reachesOutside(appId: string): boolean {
  const module = moduleOf(appId);
  return module !== undefined && module.effect !== 'pure';
}
