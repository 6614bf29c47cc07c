import { planLayers, type FlowVersion, type LayerDefinition, type LayerPlan } from '@weft/engine';
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
  const plan = planLayers(version.layers, (appId) => moduleOf(appId)?.effect);
  return { version, companyName, layers, plan };
}
