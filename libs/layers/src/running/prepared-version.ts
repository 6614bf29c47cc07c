import type { FlowVersion, LayerDefinition, LayerPlan } from '@weft/engine';
import { compile, type CompiledValue } from '@weft/expressions';
import type { LayerModule } from '../layer-module.js';
import { moduleOf } from '../registry.js';

/** A layer, ready to run: its module, and its expressions compiled once. */
export interface PreparedLayer {
  readonly definition: LayerDefinition;
  /** Undefined when this process does not know the appId: the layer FAILs with `unknown_app`. */
  readonly module: LayerModule<unknown> | undefined;
  readonly args: CompiledValue;
}

/** A version of a flow, ready to run; immutable like the version. */
export interface PreparedVersion {
  readonly version: FlowVersion;
  readonly companyName: string;
  readonly layers: readonly PreparedLayer[];
  readonly plan: readonly LayerPlan[];
}

export function prepareVersion(version: FlowVersion, companyName: string): PreparedVersion {
  const layers = version.layers.map((definition): PreparedLayer => {
    const module = moduleOf(definition.appId);
    return { definition, module, args: compile(definition.args) };
  });
  return { version, companyName, layers, plan: layers.map(planOf) };
}

function planOf({ definition, module }: PreparedLayer): LayerPlan {
  return {
    ref: definition.ref,
    name: definition.name,
    kind: module?.effect ?? 'pure',
    once: definition.onInterrupted === 'fail' && module?.effect === 'effect',
    onError: definition.onError,
  };
}
