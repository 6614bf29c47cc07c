import { parseJson } from '@weft/client';

/**
 * What the beginning of a JSON text says: each list and object in it ends with its last whole element. Pure.
 *
 * @param text of JSON, cut anywhere
 */
export function firstPart(text: string): unknown {
  const open: string[] = [];
  let end = 0;
  let closing = '';
  const mark = (at: number): void => {
    end = at;
    closing = open.toReversed().join('');
  };
  let isText = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (isText) {
      if (char === '\\') at += 1;
      else if (char === '"') isText = false;
    } else if (char === '"') isText = true;
    else if (char === '{' || char === '[') {
      open.push(char === '{' ? '}' : ']');
      mark(at + 1);
    } else if (char === '}' || char === ']') {
      open.pop();
      mark(at + 1);
    } else if (char === ',') mark(at);
  }
  // one text or number, and nothing around it
  if (end === 0) return text.replace(/^"/, '');
  return parseJson(`${text.slice(0, end)}${closing}`);
}
