export interface CompareSearch {
  readonly a: string;
  readonly b: string;
}

export function readCompareSearch(search: Record<string, unknown>): CompareSearch {
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  return { a: text(search.a), b: text(search.b) };
}
