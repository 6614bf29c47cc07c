import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson, type FlowDocument, type Layer } from '@weft/client';
import {
  FLOW_SCHEMA,
  flowDocumentShape,
  layerShape,
  settingsShape,
  shownLayer,
  shownSettings,
  testCaseShape,
} from '@weft/shapes';
import type { z } from 'zod';
import { MOST_INPUT_BYTES } from '../io/ask.js';
import { clean } from '../io/clean.js';
import { EXIT, Exit } from '../io/exit.js';
import { digestOf, LOCK_FILE } from './lock.js';

export type LayerDocument = FlowDocument['layers'][number];
export type CaseDocument = FlowDocument['testCases'][number];

export interface DocumentFile {
  readonly file: string;
  readonly document: FlowDocument;
  /** Of the text of the file. */
  readonly digest: string;
}

/** The flow documents of a file, or of a folder in the order of their names. */
export function readDocuments(path: string): DocumentFile[] {
  if (!isFolder(path)) return [documentOf(path)];
  const documents = documentsIn(path);
  if (documents.length === 0) throw new Exit(EXIT.usage, `There is no .json file in ${clean(path)}.`);
  return documents;
}

/** Those of a folder in the order of their names. */
export function documentsIn(folder: string): DocumentFile[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json') && name !== LOCK_FILE)
    .sort()
    .map((name) => documentOf(join(folder, name)));
}

export function isFolder(path: string): boolean {
  return statOf(path).isDirectory();
}

function documentOf(file: string): DocumentFile {
  const text = textOf(file);
  return { file, document: readDocument(file, text), digest: digestOf(text) };
}

function textOf(file: string): string {
  // a pipe or a device could be waited for, or be read, without an end
  const stat = statOf(file);
  if (!stat.isFile()) throw new Exit(EXIT.usage, `${clean(file)} is not a file.`);
  if (stat.size > MOST_INPUT_BYTES)
    throw new Exit(EXIT.usage, `${clean(file)} has more than ${MOST_INPUT_BYTES} bytes.`);
  try {
    return readFileSync(file, 'utf8').replace(/^\ufeff/, '');
  } catch (error) {
    throw unread(file, error);
  }
}

function statOf(path: string) {
  try {
    return statSync(path);
  } catch (error) {
    throw unread(path, error);
  }
}

function unread(path: string, error: unknown): Exit {
  return new Exit(EXIT.usage, `${clean(path)} cannot be read: ${clean((error as Error).message)}`);
}

/** With all defaults filled in, so that it can be compared with a flow. The server checks the rest of its shape. */
export function readDocument(file: string, text: string): FlowDocument {
  let value: Partial<FlowDocument> | null;
  try {
    value = JSON.parse(JSON.stringify(parseJson(text), withTexts)) as Partial<FlowDocument> | null;
  } catch (error) {
    // the rest of the message quotes the file: a link may lead to one that nobody is to see
    const [, place] = /in JSON at (position \d+)/.exec((error as Error).message) ?? [];
    throw new Exit(EXIT.usage, `${clean(file)} is not JSON${place ? `: it breaks at ${place}` : ''}.`);
  }
  if (value?.schema !== FLOW_SCHEMA || typeof value.name !== 'string')
    throw new Exit(
      EXIT.usage,
      `${clean(file)} is not a document of a flow ("schema": "${FLOW_SCHEMA}" and a name).`,
      'weft flows export <flow> writes one.',
    );
  const { settings = {}, layers = [], testCases = [] } = value;
  return {
    ...filled(FLOW, value),
    settings: settingsOf(settings),
    layers: layers.map(filledLayer),
    testCases: testCases.map((one) => filled(testCaseShape, one)),
  };
}

/** With every field: a flow shows all of them. */
function filledLayer(layer: LayerDocument): LayerDocument {
  const known = filled(layerShape, layer);
  return { ...known, ...shownLayer(known), name: known.name ?? known.ref } as LayerDocument;
}

const FLOW = flowDocumentShape.omit({ settings: true, layers: true, testCases: true });

/** With all settings, but for one that a document leaves as the flow has it. */
export function settingsOf({ publish, ...settings }: Partial<FlowDocument['settings']>): FlowDocument['settings'] {
  const { publish: _, ...shown } = shownSettings(filled(settingsShape, settings));
  return { ...settings, ...shown, ...(publish && { publish }) };
}

/** With what holds for each field that is left out; a value that the server is going to refuse stays as it is. */
function filled<Shape extends z.ZodObject>(shape: Shape, value: object): z.output<Shape> {
  const entries = Object.entries<z.ZodType>(shape.shape).map(([name, field]) => {
    const given = (value as Readonly<Record<string, unknown>>)[name];
    const read = field.safeParse(given);
    return [name, read.success ? read.data : given] as const;
  });
  const known = Object.fromEntries(entries.filter(([, each]) => each !== undefined));
  return { ...value, ...known } as z.output<Shape>;
}

/** What a flow has of integers that a number does not hold: the server stores the text of their digits. */
function withTexts(this: Readonly<Record<string, unknown>>, name: string, value: unknown): unknown {
  // as it is before any `toJSON`
  const own = this[name];
  return typeof own === 'bigint' ? String(own) : value;
}

/** A stored layer with the fields that a document has. */
export function toLayerDocument(layer: Layer): LayerDocument {
  return shownLayer(layer) as LayerDocument;
}
