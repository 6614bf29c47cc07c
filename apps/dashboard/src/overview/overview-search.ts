export type OverviewWindow = '1h' | '24h' | '7d';

export const WINDOWS: readonly (readonly [OverviewWindow, string])[] = [
  ['1h', 'Hour'],
  ['24h', 'Day'],
  ['7d', 'Week'],
];

export function readOverviewSearch(search: Record<string, unknown>): { readonly window?: OverviewWindow } {
  const known = WINDOWS.find(([value]) => value === search.window);
  return known ? { window: known[0] } : {};
}
