const MASK = '[secret]';

/** How a text is held while it is searched: as it is, or its UTF-8 bytes as one character each. */
export type Held = 'text' | 'bytes';

/** What stands for something else in a text, and what for. */
interface Escapes {
  readonly pattern: RegExp;
  readonly hint: string;
  readonly open: (escape: string, held: Held) => string;
}

const SHORT: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const IN_JSON: Escapes = {
  hint: '\\',
  // two halves of one character count as one escape: in UTF-8 they are not two
  pattern: /\\(?:u[Dd][89ABab][\dA-Fa-f]{2}\\u[Dd][C-Fc-f][\dA-Fa-f]{2}|u[\dA-Fa-f]{4}|["\\/bfnrt])/g,
  open: (escape, held) => {
    const opened = escape.startsWith(String.raw`\u`)
      ? String.fromCharCode(...[...escape.matchAll(/u(....)/g)].map(([, digits]) => Number.parseInt(digits ?? '', 16)))
      : (SHORT[escape.charAt(1)] ?? escape.charAt(1));
    return held === 'bytes' ? inBytes(opened) : opened;
  },
};
const IN_ADDRESSES: Escapes = {
  hint: '%',
  pattern: /%[\dA-Fa-f]{2}/g,
  open: (escape) => String.fromCharCode(Number.parseInt(escape.slice(1), 16)),
};

/**
 * A text of a peer that may repeat what it was sent, with the secrets replaced: as they are, and in every spelling that JSON, addresses
 * and forms have for them. The time is that of a few searches.
 */
export function withoutSecret(text: string, secrets: readonly string[], held: Held = 'text'): string {
  const wanted = secrets.filter((secret) => secret !== '');
  const bytes = wanted.map(inBytes);
  const plain = held === 'bytes' ? bytes : wanted;
  const inForms = bytes.flatMap((secret) => [secret, secret.replaceAll(' ', '+')]);
  const masked = plain.reduce((rest, secret) => rest.replaceAll(secret, MASK), text);
  return maskEscaped(maskEscaped(masked, plain, IN_JSON, held), inForms, IN_ADDRESSES, held);
}

/** No spelling of a secret is longer. */
export function longestSpelling(secrets: readonly string[]): number {
  return Math.max(0, ...secrets.map((secret) => 6 * inBytes(secret).length));
}

function inBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}

function maskEscaped(text: string, secrets: readonly string[], { hint, pattern, open }: Escapes, held: Held): string {
  if (secrets.length === 0 || !text.includes(hint)) return text;
  /** Of each escape: where it is when all are opened, and how much longer the text was up to its end. */
  const places: number[] = [];
  const longer: number[] = [];
  let surplus = 0;
  const opened = text.replace(pattern, (escape, at: number) => {
    const meant = open(escape, held);
    places.push(at - surplus);
    surplus += escape.length - meant.length;
    longer.push(surplus);
    return meant;
  });
  const inText = (place: number) => place + (longer[countBelow(places, place) - 1] ?? 0);
  let masked = '';
  let done = 0;
  for (const [from, to] of findAll(opened, secrets)) {
    masked += text.slice(done, inText(from)) + MASK;
    done = inText(to);
  }
  return masked + text.slice(done);
}

/** From where to where the words are, in order; those that overlap are one. */
function findAll(text: string, words: readonly string[]): [from: number, to: number][] {
  const found: [from: number, to: number][] = [];
  for (const word of new Set(words)) {
    for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) {
      found.push([at, at + word.length]);
    }
  }
  const apart: [from: number, to: number][] = [];
  for (const [from, to] of found.toSorted(([one], [other]) => one - other)) {
    const last = apart.at(-1);
    if (last && from < last[1]) last[1] = Math.max(last[1], to);
    else apart.push([from, to]);
  }
  return apart;
}

/** How many of these ascending numbers are below the limit. */
function countBelow(ascending: readonly number[], limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
