/** Search parameters as plain text, so that links are short and can be typed: `?state=FAIL,RUN&flowId=…`. */
export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

export function stringifySearch(search: Record<string, unknown>): string {
  const pairs = Object.entries(search).flatMap(([name, value]) =>
    value === undefined || value === null || value === '' ? [] : [[name, textOf(value)] as [string, string]],
  );
  const text = new URLSearchParams(pairs)
    .toString()
    .replaceAll('%2C', ',')
    .replaceAll('%3A', ':')
    .replaceAll('%2F', '/');
  return text === '' ? '' : `?${text}`;
}

/** A list of the address, as it is there or as `stringifySearch` got it. */
export function readList(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.filter((each) => typeof each === 'string');
  if (typeof value !== 'string' || value === '') return [];
  return value.split(',').map((text) => text.replaceAll('%2C', ',').replaceAll('%25', '%'));
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) {
    return value.map((each) => textOf(each).replaceAll('%', '%25').replaceAll(',', '%2C')).join(',');
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}
