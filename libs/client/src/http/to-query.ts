/** Given several times, where other lists are one text with commas. */
const REPEATED = ['label'];

/** A query as the API reads it. What is undefined or null is left out. */
export function toQuery(query: Readonly<Record<string, unknown>>): string {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    const texts = [value].flat().map(String);
    if (REPEATED.includes(name)) texts.forEach((text) => fields.append(name, text));
    else if (texts.length > 0) fields.set(name, texts.join(','));
  }
  return fields.toString();
}
