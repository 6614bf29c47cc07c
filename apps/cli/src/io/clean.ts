/**
 * Data of a company may hold whatever somebody sent: sequences that move the cursor, change the title of the terminal or turn
 * text around. They are shown, and never obeyed.
 */
const HARMFUL = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** One line of text from data, for a terminal. */
export function clean(text: string): string {
  return text.replace(HARMFUL, escaped);
}

/** JSON that is safe on a terminal, and means the same. */
export function toJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent) ?? 'null';
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

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

export function shorten(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
