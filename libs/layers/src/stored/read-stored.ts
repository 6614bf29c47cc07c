/** Values out of a stored output, by their paths: what is stored is passed over a piece at a time, and never held as a whole. */
import type { ContentReading } from '@weft/engine';
import { ReadValues } from '@weft/expressions';
import { LayerFailure } from '../layer-module.js';
import type { Found } from './json-captures.js';
import { pathTree, type JsonPath, type PathNode } from './json-paths.js';
import { JsonScanner } from './json-scanner.js';
import { contentText, opened, outputText, type OpenStored } from './output-text.js';

/**
 * @param ref of the layer whose output it is, for the message of an error
 * @param maxBytes of all values together, as JSON
 * @throws LayerFailure `output_too_large` naming what leads to more; Error when the payload is gone
 */
export async function readStored(
  ref: string,
  open: OpenStored,
  paths: readonly JsonPath[],
  maxBytes: number,
): Promise<ReadValues> {
  const { form, content } = await opened(open);
  const reading = new Reading(ref, maxBytes);
  if (!form) {
    await reading.json(content, [], paths);
    return reading.values;
  }
  const outline = JSON.parse(form.outline) as unknown;
  for (const [name, below] of byField(paths)) {
    const as = Object.hasOwn(form.content, name) ? form.content[name] : undefined;
    if (as === 'json') await reading.json((await opened(open)).content, [name], below);
    else if (as) await reading.text((await opened(open)).content, as, name, below);
    else for (const path of below) reading.values.set([name, ...path], valueAt(outline, [name, ...path]));
  }
  if (paths.some((path) => path.length === 0)) await reading.json(outputText(open), [], [[]]);
  return reading.values;
}

class Reading {
  readonly values = new ReadValues();
  private left: number;

  constructor(
    private readonly ref: string,
    private readonly maxBytes: number,
  ) {
    this.left = maxBytes;
  }

  /** Of a JSON text that lies under `above`. */
  async json(content: AsyncIterable<Buffer>, above: JsonPath, paths: readonly JsonPath[]): Promise<void> {
    const wanted = pathTree(paths);
    // what lies here was looked at when it was stored: it is as deep as it is
    const scanner = new JsonScanner({ maxDepth: Number.POSITIVE_INFINITY, wanted, maxBytes: this.left });
    for await (const chunk of content) scanner.write(chunk);
    if (!scanner.end()) throw new Error(`what is stored of "${this.ref}" is not JSON`);
    for (const path of paths) {
      const found = scanner.found(numberOf(wanted, path));
      if (found) this.values.set([...above, ...path], this.valueOf(found, [...above, ...path]));
    }
  }

  /** Of a text, which has no fields. */
  async text(
    content: AsyncIterable<Buffer>,
    as: Exclude<ContentReading, 'json'>,
    name: string,
    below: readonly JsonPath[],
  ): Promise<void> {
    if (!below.some((path) => path.length === 0)) return;
    const pieces: string[] = [];
    for await (const piece of contentText(as, content)) {
      this.take(piece.length, [name]);
      pieces.push(piece);
    }
    this.values.set([name], pieces.join(''));
  }

  private valueOf(found: Found, path: JsonPath): unknown {
    if ('count' in found) return found.count;
    if ('tooLarge' in found) throw this.tooLarge(path);
    this.take(found.text.byteLength, path);
    return JSON.parse(found.text.toString('utf8'));
  }

  private take(bytes: number, path: JsonPath): void {
    this.left -= bytes;
    if (this.left < 0) throw this.tooLarge(path);
  }

  private tooLarge(path: JsonPath): LayerFailure {
    return new LayerFailure(
      'output_too_large',
      `${[this.ref, ...path].join('.')} is more than the expressions of a layer may read of stored outputs: ` +
        `${this.maxBytes} bytes together. Name a part of it.`,
    );
  }
}

function byField(paths: readonly JsonPath[]): Map<string, JsonPath[]> {
  const fields = new Map<string, JsonPath[]>();
  for (const [field, ...below] of paths) {
    if (field === undefined) continue;
    const name = String(field);
    fields.set(name, [...(fields.get(name) ?? []), below]);
  }
  return fields;
}

function numberOf(root: PathNode, path: JsonPath): number {
  let node: PathNode | undefined = root;
  for (const step of path) node = node?.children.get(String(step));
  return node?.wanted ?? -1;
}

/** Own fields alone, as expressions read them; undefined where there are none. */
function valueAt(value: unknown, path: JsonPath): unknown {
  return path.reduce<unknown>(
    (at, step) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, step)
        ? (at as Readonly<Record<string | number, unknown>>)[step]
        : undefined,
    value,
  );
}
