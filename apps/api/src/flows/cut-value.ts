/** The value, or the beginning of its JSON. Nothing is null, as everywhere in answers. */
export function cutValue(value: unknown, maxChars: number): unknown {
  const json = JSON.stringify(value ?? null);
  return json.length <= maxChars ? (value ?? null) : `${json.slice(0, maxChars)}…`;
}
