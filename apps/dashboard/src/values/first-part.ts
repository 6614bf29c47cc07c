import { parseJson } from '@weft/client';

/**
 * What the beginning of a JSON text says: each list and object in it ends with its last whole element, and the text of a field where
 * it is cut. Pure.
 *
 * @param text of JSON, cut anywhere
 */
export function firstPart(text: string): unknown {
  const { end, open } = placesIn(text);
  // one text or number, and nothing around it
  if (end === 0) return text.replace(/^"/, '');
  const closing = open.toReversed().join('');
  return parseJson(text.slice(0, end) + (textIn(text.slice(end)) ?? '') + closing);
}

/** The last field as far as it is there, when its value is a text. @param rest from the last whole element on: `,"body":"{\\"ro` */
function textIn(rest: string): string | null {
  const [begun] = /^,?\s*"(?:[^"\\]|\\.)*"\s*:\s*"/.exec(rest) ?? [];
  if (begun === undefined) return null;
  const [text = ''] = /^(?:[^"\\]+|\\(?:u[\da-f]{4}|[^u]))*/i.exec(rest.slice(begun.length)) ?? [];
  return `${begun}${text}"`;
}

/** @returns the last place at which the text can end, and what closes the lists and objects that are open there, the outermost first */
function placesIn(text: string): { readonly end: number; readonly open: readonly string[] } {
  const open: string[] = [];
  let end = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') at = endOfText(text, at + 1);
    else if (char === ',') end = at;
    else if (char === '{' || char === '[') {
      open.push(char === '{' ? '}' : ']');
      end = at + 1;
    } else if (char === '}' || char === ']') {
      open.pop();
      end = at + 1;
    }
  }
  return { end, open };
}

/** Where the quote is that ends it, or after the end where there is none. */
function endOfText(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
