/** Reads what a loop has done before: in an earlier hand-out of its play, or in an earlier play of its chain. */
import type { DoneItems } from '@weft/engine';
import { parseStoredJson } from '@weft/kernel';
import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { StringDecoder } from 'node:string_decoder';
import { LayerFailure } from '../layer-module.js';
import type { PreparedCall } from '../call/layer-call.js';
import { asJson } from '../call/layer-outputs.js';
import type { LayerPayloads } from '../call/layer-payloads.js';
import { newLoop, type LoopState } from './unfinished-loops.js';

/**
 * The loop as it was left. An item whose value has changed counts as not done, and so does one that failed in an earlier
 * play.
 *
 * @throws LayerFailure `expression_unresolved` when the results are not stored any more
 */
export async function resumedLoop(
  { call: { play, position } }: PreparedCall,
  items: readonly unknown[],
  payloads: LayerPayloads,
): Promise<LoopState> {
  const state = newLoop(items.length);
  const left = play.doneItems?.[position];
  if (!left) return state;
  for await (const line of linesIn(left, (ref) => payloads.open(play.company_id, ref))) {
    takeLine(line, items, state, play._id);
  }
  for (const index of state.outs.keys()) if (index in state.outs) state.packed.indexes.add(index);
  state.packed.items = left;
  state.packed.saved = state.done;
  return state;
}

/** What is stored of the items of a loop, in no order; `failedIn`: a collected failure, and the play in which it was. `digest`: of the item. */
export async function* entriesIn(
  left: DoneItems,
  open: (ref: NonNullable<DoneItems['ref']>) => ReturnType<LayerPayloads['open']>,
): AsyncGenerator<{
  readonly index: number;
  readonly digest: string;
  readonly out: unknown;
  readonly failedIn?: string;
}> {
  for await (const line of linesIn(left, open)) {
    const entry = readLine(line);
    if (!entry) continue;
    const [index, digest, out, failedIn] = entry;
    yield { index, digest, out, ...(failedIn !== undefined && { failedIn }) };
  }
}

/** What is stored of the call at some index. */
export interface EarlierEntry {
  /** Of what the call was about. */
  readonly digest: string;
  readonly out: unknown;
  /** Of the output as JSON, and what separates it. */
  readonly bytes: number;
}

/**
 * What is stored of calls that follow from each other, by index; several where a later worker called for something else.
 *
 * @throws LayerFailure `expression_unresolved` when it is not stored any more
 */
export async function earlierEntries(
  { call: { play } }: PreparedCall,
  left: DoneItems,
  payloads: LayerPayloads,
): Promise<Map<number, EarlierEntry[]>> {
  const found = new Map<number, EarlierEntry[]>();
  let turnAtMs = performance.now();
  for await (const line of linesIn(left, (ref) => payloads.open(play.company_id, ref))) {
    if (performance.now() - turnAtMs > TURN_MS) {
      await turn();
      turnAtMs = performance.now();
    }
    const entry = readLine(line);
    if (!entry) continue;
    const [index, digest, out] = entry;
    const bytes = Buffer.byteLength(line) - (line.endsWith(',') ? 1 : 0) - headOf(index, digest).length;
    found.set(index, [...(found.get(index) ?? []), { digest, out, bytes }]);
  }
  return found;
}

/** Between many entries the event loop handles other work. */
const TURN_MS = 10;

/** What it takes to read them. */
export function bytesOf(left: DoneItems | undefined): number {
  if (!left) return 0;
  const { text = '', ref, more = [] } = left;
  return more.reduce((sum, { bytes }) => sum + bytes, (ref?.bytes ?? 0) + text.length);
}

async function* linesIn(
  { text, ref, more = [] }: DoneItems,
  open: (ref: NonNullable<DoneItems['ref']>) => ReturnType<LayerPayloads['open']>,
): AsyncGenerator<string> {
  if (text !== undefined) yield* text.split('\n');
  for (const each of [...(ref ? [ref] : []), ...more]) {
    const stored = await open(each);
    if (!stored) {
      const message = 'What this loop did before is not stored any more, so it cannot go on: run the flow again.';
      throw new LayerFailure('expression_unresolved', message);
    }
    yield* linesOf(stored.content);
  }
}

/** `[index, digest of the item, output]`, for a collected failure with the id of its play. */
type Entry = readonly [index: number, digest: string, out: unknown, playId?: string];

/** @param digest of the item */
export function toLine(index: number, digest: string, out: unknown, failedIn: string | null): string {
  return toLineWith(index, digest, asJson(out), failedIn);
}

/** @param json of the output */
export function toLineWith(index: number, digest: string, json: string, failedIn: string | null): string {
  const end = failedIn === null ? ']' : endOf(failedIn);
  return `${headOf(index, digest)}${json}${end}`;
}

/** An entry on a line of its own; undefined for the brackets around the list. */
function readLine(line: string): Entry | undefined {
  const text = line.endsWith(',') ? line.slice(0, -1) : line;
  return text.length < 2 ? undefined : (parseStoredJson(text) as Entry);
}

function takeLine(line: string, items: readonly unknown[], state: LoopState, playId: string): void {
  const entry = readLine(line);
  if (!entry) return;
  const [index, digest, out, failedIn] = entry;
  if (index >= items.length || index in state.outs || digest !== digestOf(items[index])) return;
  if (failedIn !== undefined && failedIn !== playId) return;
  if (failedIn !== undefined) state.failed.add(index);
  const around = headOf(index, digest).length + (failedIn === undefined ? 1 : endOf(failedIn).length);
  state.outs[index] = out;
  state.done += 1;
  state.bytes += Buffer.byteLength(line) - (line.endsWith(',') ? 1 : 0) - around + 1;
}

function headOf(index: number, digest: string): string {
  return `[${index},"${digest}",`;
}

function endOf(playId: string): string {
  return `,${JSON.stringify(playId)}]`;
}

export function digestOf(item: unknown): string {
  return createHash('sha256').update(asJson(item)).digest('base64url').slice(0, 22);
}

async function* linesOf(content: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let begun = '';
  for await (const piece of content) {
    const lines = decoder.write(piece).split('\n');
    lines[0] = begun + (lines[0] ?? '');
    begun = lines.pop() ?? '';
    yield* lines;
  }
  yield begun;
}
