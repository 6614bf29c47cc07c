/**
 * Reads from the payload store what a layer's expressions name: outputs of earlier layers, and the args of its play.
 */
import { BytesSemaphore, type BytesPermit } from '@weft/concurrency';
import { isReferredAnswer, outputIn, type PayloadRef, type Play } from '@weft/engine';
import { parseStoredJson } from '@weft/kernel';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { LayerFailure } from '../layer-module.js';
import { opened, outputText, type OpenStored } from '../stored/output-text.js';
import { ReadBudget, readStored } from '../stored/read-stored.js';
import { UnloadedOutput, type LayerCall, type PreparedCall } from './layer-call.js';
import type { LayerPayloads } from './layer-payloads.js';
import type { LayerRead } from './prepared-version.js';

/** A smaller output is read as a whole, once for all later layers. */
const WHOLE_BYTES = 256 * 1024;
/** Of larger outputs, the expressions of one layer may read this much together. */
const MAX_READ_BYTES = 32 * 1024 * 1024;

/** For all layers that run in this process, and as much for loops: those may last for hours. */
const ROOM_BYTES = 256 * 1024 * 1024;

/** Reads stored outputs for layers, and limits how much they hold. */
export class StoredReads {
  private readonly room: BytesSemaphore;
  private readonly loops: BytesSemaphore;

  constructor(
    readonly payloads: LayerPayloads,
    heldBytes = ROOM_BYTES,
  ) {
    this.room = new BytesSemaphore(heldBytes);
    this.loops = new BytesSemaphore(heldBytes);
  }

  enter(
    { layer: { items, until, paging }, call: { play, signal } }: PreparedCall,
    bytes: number,
  ): Promise<BytesPermit> {
    const room = items || until || paging ? this.loops : this.room;
    return room.acquire(play.company_id, bytes, signal);
  }
}

/** A call with everything that it reads in memory. */
export interface ReadyWork {
  readonly work: PreparedCall;
  /** To be called when the layer has ended: it releases what was read. */
  readonly leave: () => void;
}

const NOTHING_HELD = (): void => undefined;

/** Args of as many bytes of JSON are read once for all layers of a play. */
const KEPT_ARGS_BYTES = 1024 * 1024;

/** Args of the plays that run here, if they are stored and not too large. */
const argsOfPlays = new WeakMap<Play, Promise<Play['args']>>();

/**
 * The call with everything in memory that its expressions name, and nothing else of what is stored.
 *
 * @throws LayerFailure `expression_unresolved` when something is not stored any more, `output_too_large` when it reads
 * too much
 */
export async function withStoredReads(work: PreparedCall, reads: StoredReads): Promise<ReadyWork> {
  const { layer, call } = work;
  const large = layer.reads.filter(({ ref }) => call.outputs.get(ref) instanceof UnloadedOutput);
  const { outputs, leave } =
    large.length > 0 ? await readOutputs(work, large, reads) : { outputs: call.outputs, leave: NOTHING_HELD };
  const { argsRef } = call.play;
  try {
    const args = argsRef && layer.readsArgs ? await withArgs(work, argsRef, reads) : null;
    if (!args && outputs === call.outputs) return { work, leave };
    return {
      work: { ...work, call: { ...call, outputs, play: args?.play ?? call.play } },
      leave: () => {
        leave();
        args?.leave();
      },
    };
  } catch (error) {
    leave();
    throw error;
  }
}

async function readOutputs(work: PreparedCall, large: readonly LayerRead[], reads: StoredReads) {
  const { call } = work;
  const outputs = new Map(call.outputs);
  const inParts: (readonly [LayerRead, UnloadedOutput])[] = [];
  for (const each of large) {
    const held = call.outputs.get(each.ref) as UnloadedOutput;
    if (held.ref.bytes > WHOLE_BYTES) inParts.push([each, held]);
    else {
      const whole = await wholeOutput(await openerOf(call, each.ref, held, reads));
      call.outputs.set(each.ref, whole);
      outputs.set(each.ref, whole);
    }
  }
  return { outputs, leave: inParts.length > 0 ? await readParts(work, inParts, outputs, reads) : NOTHING_HELD };
}

async function readParts(
  work: PreparedCall,
  parts: readonly (readonly [LayerRead, UnloadedOutput])[],
  outputs: Map<string, unknown>,
  reads: StoredReads,
): Promise<() => void> {
  const budget = new ReadBudget(MAX_READ_BYTES);
  const bytes = parts.reduce((sum, [, held]) => sum + held.ref.bytes, 0);
  const hold = await reads.enter(work, Math.min(bytes, MAX_READ_BYTES));
  try {
    for (const [{ ref, paths }, held] of parts) {
      outputs.set(ref, await readStored(ref, await openerOf(work.call, ref, held, reads), paths, budget));
    }
  } catch (error) {
    hold.release();
    throw error;
  }
  hold.resize(budget.used);
  return () => hold.release();
}

async function openerOf(
  call: LayerCall,
  ref: string,
  held: UnloadedOutput,
  { payloads }: StoredReads,
): Promise<OpenStored> {
  const open = () => payloads.open(call.play.company_id, held.ref);
  if (await open()) return open;
  throw new LayerFailure('expression_unresolved', `The output of layer "${ref}" is not stored any more.`);
}

/**
 * The answer for the layer, with its payload read if it is stored.
 *
 * @throws LayerFailure `expression_unresolved` when it is not stored any more
 */
export async function answerOf({ play, answer }: LayerCall, payloads: LayerPayloads): Promise<LayerCall['answer']> {
  if (!answer || !isReferredAnswer(answer.payload)) return answer;
  const { payloadRef, ...rest } = answer.payload;
  const stored = await payloads.open(play.company_id, payloadRef);
  if (!stored) throw new LayerFailure('expression_unresolved', 'What was sent to the layer is not stored any more.');
  return { payload: { ...rest, payload: await wholeOf(stored.content) } };
}

/** Args that were uploaded may be large: those are held for one layer, and only while there is room. */
async function withArgs(
  work: PreparedCall,
  argsRef: PayloadRef,
  reads: StoredReads,
): Promise<{ readonly play: Play; readonly leave: () => void }> {
  const { play } = work.call;
  if (argsRef.bytes > KEPT_ARGS_BYTES) {
    const hold = await reads.enter(work, argsRef.bytes);
    try {
      const args = await readArgs(play, argsRef, reads.payloads);
      return { play: { ...play, args }, leave: () => hold.release() };
    } catch (error) {
      hold.release();
      throw error;
    }
  }
  let reading = argsOfPlays.get(play);
  if (!reading) {
    reading = readArgs(play, argsRef, reads.payloads);
    argsOfPlays.set(play, reading);
    reading.catch(() => argsOfPlays.delete(play));
  }
  return { play: { ...play, args: await reading }, leave: NOTHING_HELD };
}

async function readArgs(play: Play, argsRef: PayloadRef, payloads: LayerPayloads): Promise<Play['args']> {
  const stored = await payloads.open(play.company_id, argsRef);
  if (!stored) throw new LayerFailure('expression_unresolved', 'The args of this play are not stored any more.');
  return (await wholeOf(stored.content)) as Play['args'];
}

async function wholeOutput(open: OpenStored): Promise<unknown> {
  const { form, content } = await opened(open);
  if (form?.bytes === undefined) return wholeOf(outputText(open));
  return outputIn(form, await buffer(Readable.from(content)));
}

async function wholeOf(content: AsyncIterable<Buffer>): Promise<unknown> {
  return parseStoredJson(await buffer(Readable.from(content)));
}
