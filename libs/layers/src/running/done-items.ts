/**
 * Stores the finished items of a loop that failed for good, and reads them again: a retry calls only the other items.
 */
import { INLINE_OUTPUT_BYTES, type DoneItems } from '@weft/engine';
import { createHash } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';
import { setImmediate as turn } from 'node:timers/promises';
import { LayerFailure } from '../layer-module.js';
import type { PreparedCall } from './layer-call.js';
import { asJson } from './layer-outputs.js';
import type { LayerPayloads } from './layer-payloads.js';
import { newLoop, type LoopState } from './unfinished-loops.js';

const TURN_MS = 10;

/** Undefined: no item was done, or nothing can be kept. Small results are stored in the play, as outputs are. */
export async function storeDoneItems(
  { call }: PreparedCall,
  state: LoopState,
  items: readonly unknown[],
  payloads: LayerPayloads,
): Promise<DoneItems | undefined> {
  const count = state.done - state.failed.size;
  if (count === 0) return undefined;
  const { play, inlineBudget } = call;
  const content = await asLines(state, items);
  const text = content.byteLength <= INLINE_OUTPUT_BYTES ? content.toString() : null;
  if (text !== null && inlineBudget.take(text)) return { count, text };
  const of = { companyId: play.company_id, flowId: play.flowId, playId: play._id };
  return { count, ref: await payloads.put(of, content) };
}

/**
 * The loop as an earlier play of the chain left it. An item whose value has changed counts as not done.
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
  if (left.text !== undefined) for (const line of left.text.split('\n')) takeLine(line, items, state);
  if (!left.ref) return state;
  const stored = await payloads.open(play.company_id, left.ref);
  if (!stored) {
    const message =
      'What this loop did before the retry is not stored any more, so it cannot go on: run the flow again.';
    throw new LayerFailure('expression_unresolved', message);
  }
  for await (const line of linesOf(stored.content)) takeLine(line, items, state);
  return state;
}

/**
 * JSON with one entry a line, so that it is never held as one text. Between many entries the event loop handles other
 * work.
 */
async function asLines({ outs, failed }: LoopState, items: readonly unknown[]): Promise<Buffer> {
  const lines: Buffer[] = [];
  let turnAtMs = performance.now();
  for (let index = 0; index < outs.length; index += 1) {
    // a hole is an item that is not done; a retry calls those that failed
    if (!(index in outs) || failed.has(index)) continue;
    const begin = lines.length === 0 ? '[\n' : ',\n';
    lines.push(Buffer.from(`${begin}${headOf(index, digestOf(items[index]))}${asJson(outs[index])}]`));
    if (performance.now() - turnAtMs <= TURN_MS) continue;
    await turn();
    turnAtMs = performance.now();
  }
  return Buffer.concat([...lines, Buffer.from('\n]')]);
}

function takeLine(line: string, items: readonly unknown[], state: LoopState): void {
  const text = line.endsWith(',') ? line.slice(0, -1) : line;
  if (text.length < 2) return;
  const [index, digest, out] = JSON.parse(text) as [number, string, unknown];
  if (index >= items.length || digest !== digestOf(items[index])) return;
  state.outs[index] = out;
  state.done += 1;
  state.bytes += Buffer.byteLength(text) - headOf(index, digest).length;
}

function headOf(index: number, digest: string): string {
  return `[${index},"${digest}",`;
}

function digestOf(item: unknown): string {
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
