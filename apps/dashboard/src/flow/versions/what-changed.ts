import type { components } from '@weft/client';
import { isBranch } from '../../values/tree-model';

type Version = components['schemas']['FlowVersion'];
type Flow = Version['flow'];

const FIELDS: readonly (readonly [keyof Flow, string])[] = [
  ['name', 'name'],
  ['category', 'category'],
  ['description', 'description'],
  ['isBlueprint', 'blueprint'],
  ['groupId', 'group'],
  ['when', 'condition'],
  ['settings', 'settings'],
];

/**
 * What a version changed, in words, as far as the list says: its versions come without layers.
 *
 * @param before the version before it; undefined where it is not read yet
 */
export function whatChanged({ version, flow }: Version, before: Version | undefined): string {
  if (version === 1) return 'made';
  if (!before) return '';
  const was = before.flow;
  const words = [
    ...(flow.enabled === was.enabled ? [] : [flow.enabled ? 'enabled' : 'paused']),
    ...(flow.restricted === was.restricted ? [] : [flow.restricted ? 'restricted' : 'no longer restricted']),
    ...FIELDS.filter(([field]) => !isSame(flow[field], was[field])).map(([, word]) => word),
  ];
  return words.length === 0 ? 'layers' : words.join(', ');
}

function isSame(a: unknown, b: unknown): boolean {
  if (!isBranch(a) || !isBranch(b)) return a === b;
  return JSON.stringify(a) === JSON.stringify(b);
}
