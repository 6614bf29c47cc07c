/** Whether an output is only the address of one that is too large: docs/http-api.md §5. Outputs of users have `$ref` for other things. */
export function isReference(out: unknown): boolean {
  if (typeof out !== 'object' || out === null) return false;
  const { $ref, bytes, ...others } = out as Readonly<Record<string, unknown>>;
  return typeof $ref === 'string' && typeof bytes === 'number' && Object.keys(others).length === 0;
}
