import { writeJson } from '@weft/client';

/**
 * Data of a company may hold whatever somebody sent: sequences that move the cursor, change the title of the terminal or turn
 * text around. They are shown, and never obeyed.
 */
const HARMFUL = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** One line of text from data, for a terminal. What a server sends need not be a text. */
export function clean(text: unknown): string {
  return String(text).replace(HARMFUL, escaped);
}

/** JSON that is safe on a terminal, and means the same. */
export function toJson(value: unknown, indent?: number): string {
  const text = writeJson(value, indent) ?? 'null';
  return text.replace(HARMFUL, (char) => (char === '\n' ? char : escaped(char)));
}

/** What is written to a terminal, whoever made it: colours, tabs and line ends only. */
export function cleanLines(text: string): string {
  return text
    .split(/(\u001b\[\d{1,2}m)/)
    .map((part, i) =>
      i % 2 === 1 ? part : part.replace(HARMFUL, (char) => ('\n\t'.includes(char) ? char : escaped(char))),
    )
    .join('');
}

/** Each unit by itself: that is how JSON writes what is not one unit. */
function escaped(char: string): string {
  return char
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

/** As a word of a command that somebody may copy into a shell. */
export function word(text: unknown): string {
  const shown = clean(text);
  return /^[\w.:@/-]+$/.test(shown) && !shown.startsWith('-') ? shown : `'${shown.replaceAll("'", `'\\''`)}'`;
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const WIDTHLESS = /[\p{Mn}\p{Me}\p{Cf}]/u;
const PLAIN = /^[\x20-\x7e]*$/;

/** How many columns of a terminal a text takes. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  return [...text].reduce((width, char) => width + widthOfChar(char), 0);
}

function widthOfChar(char: string): number {
  return WIDTHLESS.test(char) ? 0 : WIDE.test(char) ? 2 : 1;
}

export function padTo(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** To at most this many columns. */
export function shorten(text: string, most: number): string {
  if (widthOf(text) <= most) return text;
  return `${cutTo(text, most - 1)}…`;
}

/** The characters that fit. */
export function cutTo(text: string, most: number): string {
  let width = 0;
  let fitting = '';
  for (const char of text) {
    width += widthOfChar(char);
    if (width > most) break;
    fitting += char;
  }
  return fitting;
}
