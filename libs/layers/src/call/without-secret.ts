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

/** What stands for something else in a text. */
interface Escapes {
  readonly hint: string;
  /** How long the escape at this place is; 0: none is there. */
  readonly lengthAt: (text: string, place: number) => number;
  /** The code point that it stands for. */
  readonly meaningAt: (text: string, place: number, length: number) => number;
  /** Whether it stands for a character, which is several bytes in UTF-8. Otherwise it stands for a byte. */
  readonly isCharacter: boolean;
}

const SHORT: ReadonlyMap<string, number> = new Map(
  Object.entries({ '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }).map(
    ([escape, meant]) => [escape, meant.charCodeAt(0)],
  ),
);
const IN_JSON: Escapes = {
  hint: '\\',
  lengthAt: (text, place) => {
    const first = text[place + 1] ?? '';
    if (first !== 'u') return SHORT.has(first) ? 2 : 0;
    const unit = digitsAt(text, place + 2, 4);
    if (unit === -1) return 0;
    // two halves of one character count as one escape: in UTF-8 they are not two
    return isUpperHalf(unit) && text.startsWith(String.raw`\u`, place + 6) && isLowerHalf(digitsAt(text, place + 8, 4))
      ? 12
      : 6;
  },
  meaningAt: (text, place, length) => {
    if (length === 2) return SHORT.get(text[place + 1] ?? '') ?? 0;
    const unit = digitsAt(text, place + 2, 4);
    return length === 6 ? unit : 0x1_00_00 + ((unit & 0x3_ff) << 10) + (digitsAt(text, place + 8, 4) & 0x3_ff);
  },
  isCharacter: true,
};
const IN_ADDRESSES: Escapes = {
  hint: '%',
  lengthAt: (text, place) => (digitsAt(text, place + 1, 2) === -1 ? 0 : 3),
  meaningAt: (text, place) => digitsAt(text, place + 1, 2),
  isCharacter: false,
};

/** The number that this many hexadecimal digits give; -1: they are not there. */
function digitsAt(text: string, place: number, count: number): number {
  let number = 0;
  for (let at = place; at < place + count; at += 1) {
    const digit = digitOf(text.charCodeAt(at));
    if (digit === -1) return -1;
    number = number * 16 + digit;
  }
  return number;
}

/** @param code of a character; NaN: the text ends here */
function digitOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

function isUpperHalf(unit: number): boolean {
  return unit >= 0xd8_00 && unit <= 0xdb_ff;
}

function isLowerHalf(unit: number): boolean {
  return unit >= 0xdc_00 && unit <= 0xdf_ff;
}

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

/** One character at a time, because a body may be nothing but escapes: a call for each of them takes ten times as long. */
function openEscapes({ text, placeOf }: Opened, escapes: Escapes, held: Held = 'text'): Opened {
  const { hint, lengthAt, meaningAt, isCharacter } = escapes;
  const isInBytes = isCharacter && held === 'bytes';
  const begins = hint.charCodeAt(0);
  /** Of each escape: where it is when all are opened, and how much longer the text was up to its end. */
  const places: number[] = [];
  const longer: number[] = [];
  const units = new Uint16Array(text.length);
  let end = 0;
  for (let at = 0; at < text.length;) {
    const unit = text.charCodeAt(at);
    const length = unit === begins ? lengthAt(text, at) : 0;
    if (length === 0) {
      units[end] = unit;
      end += 1;
      at += 1;
      continue;
    }
    places.push(end);
    const meant = meaningAt(text, at, length);
    end = isInBytes ? putBytes(units, end, meant) : putUnits(units, end, meant);
    at += length;
    longer.push(at - end);
  }
  const within = Buffer.from(units.buffer, 0, 2 * end).toString('utf16le');
  return { text: within, placeOf: (place) => placeOf(place + (longer[countBelow(places, place) - 1] ?? 0)) };
}

/** @returns where it ends */
function putUnits(units: Uint16Array, at: number, codePoint: number): number {
  if (codePoint < 0x1_00_00) {
    units[at] = codePoint;
    return at + 1;
  }
  units[at] = 0xd8_00 + ((codePoint - 0x1_00_00) >> 10);
  units[at + 1] = 0xdc_00 + (codePoint & 0x3_ff);
  return at + 2;
}

const ONE_CHARACTER = Buffer.alloc(4);

/** The bytes of a character in UTF-8, one unit each. @returns where they end */
function putBytes(units: Uint16Array, at: number, codePoint: number): number {
  if (codePoint < 0x80) {
    units[at] = codePoint;
    return at + 1;
  }
  const count = ONE_CHARACTER.write(String.fromCodePoint(codePoint));
  for (let i = 0; i < count; i += 1) units[at + i] = ONE_CHARACTER[i] ?? 0;
  return at + count;
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
