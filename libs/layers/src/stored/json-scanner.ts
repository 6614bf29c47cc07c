/**
 * Scans JSON text chunk by chunk, and keeps only the requested values: it checks the grammar of RFC 8259, and finds the
 * requested paths. It builds no values, so that a text of many megabytes costs one pass over its bytes and no memory.
 * When a name is repeated, the last one counts, as with `JSON.parse`.
 */
import { parseStoredJson } from '@weft/kernel';
import { At, isBlank, isHex, nextOfNumber } from './json-grammar.js';
import { JsonCaptures, type Found } from './json-captures.js';
import type { PathNode } from './json-paths.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACE = 0x7b;
const BRACKET = 0x5b;
const BOM = [0xef, 0xbb, 0xbf];
const LITERALS: Readonly<Record<number, string>> = { 0x74: 'true', 0x66: 'false', 0x6e: 'null' };
const ESCAPABLE = new Set([...'"\\/bfnrt'].map((letter) => letter.charCodeAt(0)));

export interface JsonScanOptions {
  /** Depth limit of objects and lists; deeper ones make the text invalid. */
  readonly maxDepth: number;
  /** The requested paths. */
  readonly wanted?: PathNode;
  /** Limit of all requested values together. */
  readonly maxBytes?: number;
}

export class JsonScanner {
  private state: number = At.value;
  /** By depth: whether the container is a list, how many values it has had, and the nodes of requested paths. */
  private readonly isList: boolean[] = [];
  private readonly counts: number[] = [];
  private readonly nodes: (PathNode | null)[] = [];
  private readonly captures: JsonCaptures;
  private inKey = false;
  private keyParts: Buffer[] | null = null;
  private keyFrom = 0;
  private key = '';
  private word = '';
  private matched = 0;
  private isStart = true;

  constructor(private readonly options: JsonScanOptions) {
    this.captures = new JsonCaptures(options.maxBytes ?? 0);
  }

  write(chunk: Buffer): void {
    let i = 0;
    if (this.keyParts) this.keyFrom = 0;
    const end = chunk.byteLength;
    while (i < end && this.state !== At.invalid) i = this.step(chunk, i, end);
    if (this.state === At.invalid) return;
    if (!this.captures.isIdle) this.captures.carry(chunk);
    if (this.keyParts) this.keyParts.push(Buffer.from(chunk.subarray(this.keyFrom)));
  }

  /** The text has ended. True when it was exactly one value. */
  end(): boolean {
    if (this.isNumberEnd()) this.closeValue(NOTHING_MORE, 0);
    const isWhole = this.state === At.afterValue && this.isList.length === 0;
    if (!isWhole) this.state = At.invalid;
    return isWhole;
  }

  /** The value at a requested path after the end of the text; undefined: none. */
  found(node: PathNode): Found | undefined {
    return this.captures.get(node);
  }

  /** Reads the token that begins at `i`; returns the position after it. */
  private step(chunk: Buffer, i: number, end: number): number {
    if (this.state === At.string) return this.text(chunk, i, end);
    const byte = chunk[i] as number;
    switch (this.state) {
      case At.value:
      case At.valueOrEnd:
        return this.value(chunk, byte, i);
      case At.afterValue:
        return this.afterValue(chunk, byte, i);
      case At.key:
      case At.keyOrEnd:
        if (isBlank(byte)) return i + 1;
        if (byte === 0x7d && this.state === At.keyOrEnd) return this.closeContainer(chunk, i);
        if (byte !== QUOTE) return this.refuse(i);
        return this.beginKey(i);
      case At.colon:
        if (byte === 0x3a) this.state = At.value;
        else if (!isBlank(byte)) this.state = At.invalid;
        return i + 1;
      case At.escape:
        if (byte === 0x75) this.matched = 4;
        else if (!ESCAPABLE.has(byte)) return this.refuse(i);
        this.state = byte === 0x75 ? At.hex : At.string;
        return i + 1;
      case At.hex:
        if (!isHex(byte)) return this.refuse(i);
        this.matched -= 1;
        if (this.matched === 0) this.state = At.string;
        return i + 1;
      case At.literal:
        return this.literal(chunk, byte, i);
      case At.bom:
        return this.bom(byte, i);
      default:
        return this.number(chunk, byte, i);
    }
  }

  private value(chunk: Buffer, byte: number, i: number): number {
    if (isBlank(byte)) {
      this.isStart = false;
      return i + 1;
    }
    if (byte === 0x5d && this.state === At.valueOrEnd) return this.closeContainer(chunk, i);
    if (byte === BOM[0] && this.isStart) return this.bom(byte, i);
    const depth = this.isList.length;
    const node = this.nodeOfValue(depth);
    if (depth > 0) this.counts[depth - 1] = (this.counts[depth - 1] as number) + 1;
    this.isStart = false;
    if (node) this.captures.begin(node, byte === BRACKET, depth, i);
    if (byte === QUOTE) {
      this.state = At.string;
      this.inKey = false;
    } else if (byte === BRACE || byte === BRACKET) {
      if (depth >= this.options.maxDepth) return this.refuse(i);
      this.isList.push(byte === BRACKET);
      this.counts.push(0);
      this.nodes.push(node && node.children.size > 0 ? node : null);
      this.state = byte === BRACKET ? At.valueOrEnd : At.keyOrEnd;
    } else if (byte === 0x2d) this.state = At.minus;
    else if (byte === 0x30) this.state = At.zero;
    else if (byte > 0x30 && byte <= 0x39) this.state = At.integer;
    else {
      this.word = LITERALS[byte] ?? '';
      this.matched = 1;
      this.state = this.word === '' ? At.invalid : At.literal;
    }
    return i + 1;
  }

  private nodeOfValue(depth: number): PathNode | null {
    if (depth === 0) return this.options.wanted ?? null;
    const around = this.nodes[depth - 1];
    if (!around) return null;
    const name = this.isList[depth - 1] ? String(this.counts[depth - 1]) : this.key;
    return around.children.get(name) ?? null;
  }

  private afterValue(chunk: Buffer, byte: number, i: number): number {
    if (isBlank(byte)) return i + 1;
    const depth = this.isList.length;
    if (depth === 0) return this.refuse(i);
    const isList = this.isList[depth - 1];
    if (byte === 0x2c) this.state = isList ? At.value : At.key;
    else if (byte === (isList ? 0x5d : 0x7d)) return this.closeContainer(chunk, i);
    else this.state = At.invalid;
    return i + 1;
  }

  private closeContainer(chunk: Buffer, i: number): number {
    const isList = this.isList.pop();
    const count = this.counts.pop() as number;
    const length = this.nodes.pop()?.children.get('length');
    if (isList && length?.wanted) this.captures.counted(length, count);
    this.closeValue(chunk, i + 1);
    return i + 1;
  }

  private closeValue(chunk: Buffer, at: number): void {
    this.state = At.afterValue;
    if (!this.captures.isIdle) this.captures.end(chunk, this.isList.length, at);
  }

  private beginKey(i: number): number {
    this.state = At.string;
    this.inKey = true;
    // names matter only where a path continues
    if (this.nodes.at(-1)) {
      this.keyParts = [];
      this.keyFrom = i;
    }
    return i + 1;
  }

  private text(chunk: Buffer, from: number, end: number): number {
    let i = from;
    while (i < end) {
      const byte = chunk[i] as number;
      i += 1;
      if (byte === QUOTE) {
        if (this.inKey) this.endKey(chunk, i);
        else this.closeValue(chunk, i);
        return i;
      }
      if (byte === BACKSLASH) {
        this.state = At.escape;
        return i;
      }
      if (byte < 0x20) return this.refuse(i);
    }
    return i;
  }

  private endKey(chunk: Buffer, at: number): void {
    this.state = At.colon;
    if (!this.keyParts) return;
    this.keyParts.push(chunk.subarray(this.keyFrom, at));
    this.key = parseStoredJson(Buffer.concat(this.keyParts)) as string;
    this.keyParts = null;
  }

  private literal(chunk: Buffer, byte: number, i: number): number {
    if (byte !== this.word.charCodeAt(this.matched)) return this.refuse(i);
    this.matched += 1;
    if (this.matched === this.word.length) this.closeValue(chunk, i + 1);
    return i + 1;
  }

  private number(chunk: Buffer, byte: number, i: number): number {
    const next = nextOfNumber(this.state, byte);
    if (next !== null) {
      this.state = next;
      return i + 1;
    }
    // the first byte after a number belongs to the next token
    if (this.isNumberEnd()) this.closeValue(chunk, i);
    else this.state = At.invalid;
    return i;
  }

  private isNumberEnd(): boolean {
    const { state } = this;
    return state === At.zero || state === At.integer || state === At.fraction || state === At.exponentDigits;
  }

  private bom(byte: number, i: number): number {
    if (byte !== BOM[this.matched]) return this.refuse(i);
    this.matched += 1;
    this.isStart = false;
    this.state = this.matched === BOM.length ? At.value : At.bom;
    return i + 1;
  }

  private refuse(i: number): number {
    this.state = At.invalid;
    return i + 1;
  }
}

const NOTHING_MORE = Buffer.alloc(0);
