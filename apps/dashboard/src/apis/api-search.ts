export interface ApiSearch {
  /** What operations are looked for by. */
  readonly q?: string;
}

export function readApiSearch({ q }: Record<string, unknown>): ApiSearch {
  return typeof q === 'string' && q !== '' ? { q } : {};
}
