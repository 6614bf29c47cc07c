const MASK = '[secret]';
/** Shorter secrets are weak ones, which many texts have by chance: they stay. */
export const LEAST_MASKED = 8;
/** No two escapes are longer: what comes before and after a place is known from as many characters. */
const BESIDE = 12;

/** How a text is held while it is searched: as it is, or its UTF-8 bytes as one character each. */
export type Held = 'text' | 'bytes';

/** What is searched: a whole text, or one of the pieces in which a text arrives. */
export interface Searched {
  readonly held?: Held;
  /** Set for JSON: whether it begins within a text. */
  readonly json?: { readonly isInText: boolean } | null;
  /** This many characters at its beginning were searched before: they are only what comes before the others. */
  readonly before?: number;
  /** More follows: what is close to the end is found together with it. */
  readonly isOpen?: boolean;
}

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
 * A text of a peer that may repeat what it was sent, with the secrets replaced: as they are, and in every spelling that JSON (also
 * within a text of JSON), addresses and forms have for them. Words and numbers that a text may have by chance are replaced only where they are whole ones. JSON stays
 * JSON: within its texts, and where a whole number is the secret. The time is that of a few searches.
 */
export function withoutSecret(text: string, secrets: readonly string[], searched: Searched = {}): string {
  const wanted = secrets.filter(isMasked);
  if (wanted.length === 0) return text;
  const bytes = wanted.map(inBytes);
  const plain = searched.held === 'bytes' ? bytes : wanted;
  const inForms = bytes.flatMap((secret) => [secret, secret.replaceAll(' ', '+')]);
  return maskIn(maskIn(text, plain, [null, IN_JSON, IN_JSON], searched), inForms, [IN_ADDRESSES], searched);
}

/** No spelling of a secret is longer, together with what has to be known of the text next to it. */
export function longestSpelling(secrets: readonly string[]): number {
  return BESIDE + Math.max(0, ...secrets.filter(isMasked).map((secret) => 7 * inBytes(secret).length));
}

/** Where to cut a text in two pieces: at this place or before it, and not in the middle of an escape. */
export function outsideEscape(text: string, place: number): number {
  return place - (isEscaped(text, place) ? 1 : 0);
}

/** The pieces of JSON from this place on: how they begin. @param json how this one begins */
export function jsonAt(text: string, place: number, json: Searched['json']): Searched['json'] {
  return json && { isInText: json.isInText !== (countBelow(quotesIn(text), place) % 2 === 1) };
}

/** The part of a text that is given out, which has to be kept for the part that follows. */
export function keptBefore(text: string, place: number): number {
  return outsideEscape(text, Math.max(0, place - BESIDE));
}

function isMasked(secret: string): boolean {
  return secret.length >= LEAST_MASKED;
}

function inBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** A text without escapes, and where its characters come from. */
interface Opened {
  readonly text: string;
  readonly placeOf: (place: number) => number;
}

/** @param levels the text as it is (null), or with these escapes opened, and then those of a text within it … */
function maskIn(
  text: string,
  secrets: readonly string[],
  levels: readonly (Escapes | null)[],
  searched: Searched,
): string {
  let found: Found[] = [];
  let opened: Opened = { text, placeOf: (place) => place };
  for (const escapes of levels) {
    if (escapes && !opened.text.includes(escapes.hint)) break;
    if (escapes) opened = openEscapes(opened, escapes, searched.held);
    found = found.concat(findAll(opened, text, secrets, searched));
  }
  let masked = '';
  let done = 0;
  for (const [from, to, mask] of apart(found)) {
    masked += text.slice(done, from) + mask;
    done = to;
  }
  return masked + text.slice(done);
}

function openEscapes({ text, placeOf }: Opened, { pattern, open }: Escapes, held: Held = 'text'): Opened {
  /** Of each escape: where it is when all are opened, and how much longer the text was up to its end. */
  const places: number[] = [];
  const longer: number[] = [];
  let surplus = 0;
  const within = text.replace(pattern, (escape, at: number) => {
    const meant = open(escape, held);
    places.push(at - surplus);
    surplus += escape.length - meant.length;
    longer.push(surplus);
    return meant;
  });
  return { text: within, placeOf: (place) => placeOf(place + (longer[countBelow(places, place) - 1] ?? 0)) };
}

type Found = [from: number, to: number, mask: string];

/** From where to where the secrets are in the text, and what replaces them. */
function findAll(opened: Opened, text: string, secrets: readonly string[], searched: Searched): Found[] {
  const { before = 0, isOpen = false, json } = searched;
  const end = isOpen ? text.length - BESIDE : text.length;
  let quotes: readonly number[] | undefined;
  const found: Found[] = [];
  for (const secret of new Set(secrets)) {
    const isOrdinary = mayBeOrdinary(secret);
    for (let at = opened.text.indexOf(secret); at !== -1;) {
      const [from, to] = [opened.placeOf(at), opened.placeOf(at + secret.length)];
      const fits = from >= before && to <= end && (!isOrdinary || isWhole(opened.text, at, at + secret.length));
      const isValue = fits && json && isNumber(secret) && isOutside(from, json, (quotes ??= quotesIn(text)));
      const mask = isValue ? maskOfValue(text, from, to) : MASK;
      const isFound = fits && mask !== null;
      if (isFound) found.push([from, to, mask]);
      // a place that was refused may overlap with the next one
      at = opened.text.indexOf(secret, at + (isFound || !isOrdinary ? secret.length : 1));
    }
  }
  return found;
}

/** In order; those that overlap are one. */
function apart(found: readonly Found[]): Found[] {
  const ordered: Found[] = [];
  for (const one of found.toSorted(([a], [b]) => a - b)) {
    const last = ordered.at(-1);
    if (last && one[0] < last[1]) last[1] = Math.max(last[1], one[1]);
    else ordered.push(one);
  }
  return ordered;
}

/** From this length on, and from a shorter one with letters and digits, no text has it by chance. */
const LONG = 20;
const LONG_MIXED = 12;

function mayBeOrdinary(secret: string): boolean {
  if (secret.length >= LONG) return false;
  return secret.length < LONG_MIXED || !/[a-z]/i.test(secret) || !/\d/.test(secret);
}

const IN_WORDS = /[A-Za-z\d]/;
const IN_NUMBERS = /[\d.eE+-]/;

/** Whether JSON may have it outside of its texts. */
function isNumber(secret: string): boolean {
  return /^[\d.eE+-]+$/.test(secret);
}

function isWhole(text: string, from: number, to: number): boolean {
  const joins = (at: number) => IN_WORDS.test(text[at - 1] ?? '') && IN_WORDS.test(text[at] ?? '');
  return !joins(from) && !joins(to);
}

/** Whether this place is not within a text of the JSON. */
function isOutside(place: number, { isInText }: { readonly isInText: boolean }, quotes: readonly number[]): boolean {
  return isInText === (countBelow(quotes, place) % 2 === 1);
}

/** Null: it is a part of a number. */
function maskOfValue(text: string, from: number, to: number): string | null {
  const isPart = IN_NUMBERS.test(text[from - 1] ?? '') || IN_NUMBERS.test(text[to] ?? '');
  return isPart ? null : `"${MASK}"`;
}

/** Where the texts of JSON begin and end. */
function quotesIn(text: string): number[] {
  const quotes: number[] = [];
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) {
    if (!isEscaped(text, at)) quotes.push(at);
  }
  return quotes;
}

/** Whether a backslash belongs to what is at this place. */
function isEscaped(text: string, place: number): boolean {
  let from = place;
  while (text[from - 1] === '\\') from -= 1;
  return (place - from) % 2 === 1;
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
