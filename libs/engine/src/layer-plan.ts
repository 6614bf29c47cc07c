/** What the protocol needs to know of a version's layers. Which module an appId names is decided elsewhere. */
import type { RetryOptions } from '@weft/shapes';
import type { LayerDefinition } from './flow-version.js';

/**
 * `pure` may be computed again; `effect` touches the world; `park` may end in WAIT or DEFERRED and touches nothing; `start` sets
 * something off that is set off once however often it is asked for, and then waits for it: it touches the world until all is set off.
 */
export type LayerKind = 'pure' | 'effect' | 'park' | 'start';

export interface LayerPlan {
  readonly ref: string;
  readonly name: string;
  readonly kind: LayerKind;
  /** `onInterrupted: fail`: its start is recorded before it is called, and no call of it is ever repeated after a crash. */
  readonly once: boolean;
  readonly onError: 'fail' | 'continue';
  /** First position of the stage that it runs in; its own position when it runs alone. */
  readonly stage: number;
  readonly retry: RetryOptions | null;
  /** It has a `when`: whether it runs at all is asked before anything says that it started. */
  readonly conditional: boolean;
  /** What it has done step by step stays stored with its play when it has ended. */
  readonly keepsItems?: true;
}

/**
 * Neighbours that name the same stage run together; a name that comes again after another layer is a stage of its own.
 *
 * @param isNeverRepeated whether the module of a layer wants `onInterrupted: fail` for these arguments; default: none does
 * @param keepsItems whether the module works in steps, which stay stored; default: none does
 */
export function planLayers(
  layers: readonly LayerDefinition[],
  kindOf: (appId: string) => LayerKind | undefined,
  isNeverRepeated: (layer: LayerDefinition) => boolean = () => false,
  keepsItems: (appId: string) => boolean = () => false,
): LayerPlan[] {
  let stage = 0;
  return layers.map((layer, position) => {
    const kind = kindOf(layer.appId) ?? 'pure';
    if (layer.stage === null || layer.stage !== layers[position - 1]?.stage) stage = position;
    return {
      ref: layer.ref,
      name: layer.name,
      kind,
      once: kind === 'effect' && (layer.onInterrupted === 'fail' || isNeverRepeated(layer)),
      onError: layer.onError,
      stage,
      retry: layer.retry,
      conditional: layer.when !== null,
      ...(keepsItems(layer.appId) && { keepsItems: true }),
    };
  });
}
