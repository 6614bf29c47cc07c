import { Suggestions } from '@weft/expressions';
import { WeftError } from '@weft/kernel';
import type { FlowDocument } from '@weft/records';

type Free = Readonly<Record<string, unknown>>;

/**
 * Refuses fixtures for layers that the flow does not have: they would have no effect.
 *
 * @throws WeftError `unresolved_refs`
 */
export function assertFixtureRefs({ layers }: Pick<FlowDocument, 'layers'>, fixtures: Free | undefined): void {
  const refs = new Set(layers.map(({ ref }) => ref));
  const unknown = Object.keys(fixtures ?? {}).filter((ref) => !refs.has(ref));
  if (unknown.length === 0) return;
  const suggestions = new Suggestions([...refs]);
  const errors = unknown.map((ref) => {
    const near = suggestions.for(ref);
    const hint = near.length > 0 ? `; did you mean ${near.join(', ')}?` : '';
    const message = `no layer has the ref "${ref.slice(0, 100)}"${hint}`;
    return { path: `fixtures.${ref.slice(0, 100)}`, code: 'unknown_ref', message };
  });
  throw new WeftError('unresolved_refs', `${errors[0]?.path}: ${errors[0]?.message}.`, { errors });
}
