export type Read = { readonly value: Readonly<Record<string, unknown>> } | { readonly fault: string };

/** An object that somebody types as JSON. */
export function readObject(text: string): Read {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return { fault: 'It is an object: { … }' };
    return { value: value as Record<string, unknown> };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : 'This is no JSON.' };
  }
}

export const jsonText = (value: unknown): string => JSON.stringify(value, null, 2);
