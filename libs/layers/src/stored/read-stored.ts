/** Reads values from a stored output by their paths: the payload is scanned in pieces and never held whole. */
import type { ContentReading } from '@weft/engine';
import { ReadValues } from '@weft/expressions';
import { parseStoredJson } from '@weft/kernel';
import { LayerFailure } from '../layer-module.js';
import type { Found } from './json-captures.js';
import { pathTree, placesOn, type JsonPath, type JsonRead } from './json-paths.js';
import { JsonScanner } from './json-scanner.js';
import { contentText, opened, outputText, type OpenStored } from './output-text.js';

/** Limits what the expressions of one layer may read of stored outputs together, in bytes of JSON. */
export class ReadBudget {
  used = 0;

  constructor(readonly maxBytes: number) {}

  get left(): number {
    return this.maxBytes - this.used;
  }
}

/**
 * @param ref of the layer whose output it is, for the message of an error
 * @throws LayerFailure `output_too_large` with the path that reads more; Error when the payload was deleted
 */
export async function readStored(
  ref: string,
  open: OpenStored,
  reads: readonly JsonRead[],
  budget: ReadBudget,
): Promise<ReadValues> {
  const { form, content } = await opened(open);
  const reading = new Reading(ref, budget);
  if (!form) {
    await reading.json(content, [], reads);
    return reading.values;
  }
  const outline = parseStoredJson(form.outline);
  for (const [name, below] of byField(reads)) {
    const as = Object.hasOwn(form.content, name) ? form.content[name] : undefined;
    if (as === 'json') await reading.json((await opened(open)).content, [name], below);
    else if (as) await reading.text((await opened(open)).content, as, name, below);
    else for (const read of below) reading.outlined(outline, { ...read, steps: [name, ...read.steps] });
  }
  const wholes = reads.filter(({ steps }) => steps.length === 0);
  if (wholes.length > 0) await reading.json(outputText(open), [], wholes);
  return reading.values;
}

class Reading {
  readonly values = new ReadValues();

  constructor(
    private readonly ref: string,
    private readonly budget: ReadBudget,
  ) {}

  /** From a JSON text at the path `above`. */
  async json(content: AsyncIterable<Buffer>, above: JsonPath, reads: readonly JsonRead[]): Promise<void> {
    const wanted = pathTree(reads);
    // its depth was checked when it was stored
    const scanner = new JsonScanner({ maxDepth: Number.POSITIVE_INFINITY, wanted, maxBytes: this.budget.left });
    for await (const chunk of content) scanner.write(chunk);
    if (!scanner.end()) throw new Error(`what is stored of "${this.ref}" is not JSON`);
    for (const { steps } of reads) {
      for (const [place, path] of placesOn(wanted, steps)) {
        const found = scanner.found(place);
        const whole = [...above, ...path];
        if (found && this.values.at(whole) === undefined) this.values.set(whole, this.valueOf(found, whole));
      }
    }
  }

  /** From the fields that are stored inline. */
  outlined(outline: unknown, { steps, throughLists }: JsonRead): void {
    let at = outline;
    for (const [i, step] of steps.entries()) {
      if (throughLists && Array.isArray(at)) return this.values.set(steps.slice(0, i), at);
      if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return;
      at = (at as Readonly<Record<string | number, unknown>>)[step];
    }
    this.values.set(steps, at);
  }

  /** From a text, which has no fields. */
  async text(
    content: AsyncIterable<Buffer>,
    as: Exclude<ContentReading, 'json'>,
    name: string,
    below: readonly JsonRead[],
  ): Promise<void> {
    if (!below.some(({ steps }) => steps.length === 0)) return;
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
    try {
      return parseStoredJson(found.text);
    } catch (cause) {
      // it is stored as it came, and its text can be read
      const fault = `${[this.ref, ...path].join('.')} cannot be read: ${(cause as Error).message}. Name a part of it.`;
      throw new LayerFailure('output_too_large', fault, undefined, { cause });
    }
  }

  private take(bytes: number, path: JsonPath): void {
    this.budget.used += bytes;
    if (this.budget.left < 0) throw this.tooLarge(path);
  }

  private tooLarge(path: JsonPath): LayerFailure {
    return new LayerFailure(
      'output_too_large',
      `${[this.ref, ...path].join('.')} is more than the expressions of a layer may read of stored outputs: ` +
        `${this.budget.maxBytes} bytes together. Name a part of it.`,
    );
  }
}

function byField(reads: readonly JsonRead[]): Map<string, JsonRead[]> {
  const fields = new Map<string, JsonRead[]>();
  for (const { steps, throughLists } of reads) {
    const [field, ...below] = steps;
    if (field === undefined) continue;
    const name = String(field);
    fields.set(name, [...(fields.get(name) ?? []), { steps: below, throughLists }]);
  }
  return fields;
}
