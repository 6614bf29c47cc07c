import type { components } from '@weft/client';
import { UNUSED } from '../../editor/layer-options';

type Change = components['schemas']['FlowDiff']['changes'][number];

export interface FieldChange {
  /** Below the layer, or the flow: `args.url`. */
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface ChangeGroup {
  /** Null: the flow itself. */
  readonly ref: string | null;
  readonly what: 'added' | 'removed' | 'changed';
  readonly fields: readonly FieldChange[];
}

const LAYERS = 'layers.';

/** The changes by what they concern: first the flow itself, then each layer in the order of the diff. */
export function groupChanges(changes: readonly Change[]): ChangeGroup[] {
  const groups = new Map<string | null, ChangeGroup>();
  for (const { path, before, after } of changes) {
    const [ref, field] = placeOf(path);
    const isWhole = ref !== null && field === '';
    const what = !isWhole ? 'changed' : before === null ? 'added' : 'removed';
    const fields = isWhole ? fieldsOf(before ?? after, before !== null) : [{ field, before, after }];
    const known = groups.get(ref);
    groups.set(ref, { ref, what, fields: [...(known?.fields ?? []), ...fields] });
  }
  return [...groups.values()];
}

function placeOf(path: string): readonly [ref: string | null, field: string] {
  if (path === 'layers') return [null, 'order of the layers'];
  if (!path.startsWith(LAYERS)) return [null, path];
  const rest = path.slice(LAYERS.length);
  const dot = rest.indexOf('.');
  return dot < 0 ? [rest, ''] : [rest.slice(0, dot), rest.slice(dot + 1)];
}

/** What a layer that came or went has; what it does not use is left out. */
function fieldsOf(layer: unknown, isGone: boolean): FieldChange[] {
  if (typeof layer !== 'object' || layer === null) return [];
  return Object.entries<unknown>({ ...layer })
    .filter(
      ([field, value]) =>
        field !== 'ref' && value !== null && (UNUSED as Readonly<Record<string, unknown>>)[field] !== value,
    )
    .map(([field, value]) => ({ field, before: isGone ? value : undefined, after: isGone ? undefined : value }));
}
