/** Which flows the layers of a flow run, as far as the flow says it. Pure. */
import type { LayerDefinition } from '@weft/engine';
import { withParts } from '@weft/layers';

/** An id of a flow, or an expression whose value only a run knows. */
export interface FlowUse {
  readonly ref: string;
  /** Null: an expression decides. */
  readonly flowId: string | null;
}

const FROM_BLUEPRINT = /^\{\{\s*\$blueprint\.(\w+)\s*\}\}$/;

/** @param vars values of `$blueprint`, which are fixed when the flow is made */
export function flowsRun(
  layers: readonly Pick<LayerDefinition, 'ref' | 'appId' | 'args'>[],
  vars: Readonly<Record<string, string>> | null | undefined,
): FlowUse[] {
  const uses = layers.flatMap(({ ref, ...layer }) => withParts(layer).map((part) => ({ ref, ...part })));
  return uses.flatMap(({ ref, appId, args: { flowId } }): FlowUse[] => {
    if (appId !== 'run-flow' || typeof flowId !== 'string') return [];
    const name = FROM_BLUEPRINT.exec(flowId)?.[1];
    if (name === undefined) return [{ ref, flowId: flowId.includes('{{') ? null : flowId }];
    const value = vars && Object.hasOwn(vars, name) ? vars[name] : undefined;
    return value === undefined ? [] : [{ ref, flowId: value }];
  });
}
