import type { PathNode } from './json-paths.js';

/** What was found at a path: its JSON text, the length of a list, or only that it exceeds the limit. */
export type Found = { readonly text: Buffer } | { readonly count: number } | { readonly tooLarge: true };

interface Capture {
  readonly node: PathNode;
  readonly depth: number;
  readonly parts: Buffer[];
  /** Where it continues in the current chunk. */
  from: number;
  bytes: number;
}

/** Captures the texts of wanted values while they are scanned; together no more than `maxBytes`. */
export class JsonCaptures {
  private readonly open: Capture[] = [];
  private readonly found = new Map<PathNode, Found>();
  private held = 0;

  constructor(private readonly maxBytes: number) {}

  get isIdle(): boolean {
    return this.open.length === 0;
  }

  /** A value begins where paths end or pass through; an earlier value of the same name is replaced. */
  begin(node: PathNode, isList: boolean, depth: number, at: number): void {
    if (this.found.size > 0) this.forget(node);
    if (node.wanted || (isList && node.wantedIfList)) this.open.push({ node, depth, parts: [], from: at, bytes: 0 });
  }

  /** The value at this depth has ended before `at`. */
  end(chunk: Buffer, depth: number, at: number): void {
    const last = this.open.at(-1);
    if (last?.depth !== depth) return;
    this.open.pop();
    this.take(last, chunk, at);
    const fits = this.held <= this.maxBytes && last.bytes <= this.maxBytes;
    this.found.set(last.node, fits ? { text: Buffer.concat(last.parts) } : { tooLarge: true });
  }

  counted(node: PathNode, count: number): void {
    this.found.set(node, { count });
  }

  /** The chunk has ended, the open captures have not. */
  carry(chunk: Buffer): void {
    for (const capture of this.open) {
      this.take(capture, chunk, chunk.byteLength);
      capture.from = 0;
    }
  }

  get(node: PathNode): Found | undefined {
    return this.found.get(node);
  }

  private take(capture: Capture, chunk: Buffer, to: number): void {
    const bytes = to - capture.from;
    capture.bytes += bytes;
    this.held += bytes;
    if (this.held > this.maxBytes) capture.parts.length = 0;
    // a copy, so that the chunk can be freed
    else capture.parts.push(Buffer.from(chunk.subarray(capture.from, to)));
  }

  private forget(node: PathNode): void {
    const before = this.found.get(node);
    if (before && 'text' in before) this.held -= before.text.byteLength;
    this.found.delete(node);
    for (const child of node.children.values()) this.forget(child);
  }
}
