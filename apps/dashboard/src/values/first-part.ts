import { parseJson } from '@weft/client';

/**
 * What the beginning of a JSON text says: each list and object in it ends with its last whole element, and the text of a field where
 * it is cut. Pure.
 *
 * @param text of JSON, cut anywhere
 */
export function firstPart(text: string): unknown {
  let end = 0;
  const open = walk(text, (at) => (end = at));
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

/**
 * @param onPlace called with each place at which the text can end: from the last one on, nothing is opened or closed
 * @returns what closes the lists and objects that are open at its end, the outermost first
 */
function walk(text: string, onPlace: (at: number) => void): readonly string[] {
  const open: string[] = [];
  let isText = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (isText) {
      if (char === '\\') at += 1;
      else if (char === '"') isText = false;
    } else if (char === '"') isText = true;
    else if (char === '{' || char === '[') {
      open.push(char === '{' ? '}' : ']');
      onPlace(at + 1);
    } else if (char === '}' || char === ']') {
      open.pop();
      onPlace(at + 1);
    } else if (char === ',') onPlace(at);
  }
  return open;
}
