export interface ApiSearch {
  /** What operations are looked for by. */
  readonly q?: string;
  readonly tag?: string;
}

export function readApiSearch({ q, tag }: Record<string, unknown>): ApiSearch {
  return { ...(typeof q === 'string' && q !== '' && { q }), ...(typeof tag === 'string' && tag !== '' && { tag }) };
}
