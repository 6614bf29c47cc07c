import { jsonText } from '../../values/json-text';
import type { Flow } from '../queries';

type Layer = NonNullable<Flow['layers']>[number];

/** A version as text: what a person chose, without ids and what follows from it. */
export function versionText(flow: Flow): string {
  const { name, enabled, category, description, isBlueprint, restricted, groupId, when, settings, layers = [] } = flow;
  const head = { name, enabled, category, description, isBlueprint, restricted, groupId, when, settings };
  return jsonText({ ...head, layers: layers.map(chosen) });
}

function chosen({ id: _, flowId: __, index: ___, warnings: ____, ...layer }: Layer): object {
  return Object.fromEntries(Object.entries(layer).filter(([, value]) => value !== null));
}
