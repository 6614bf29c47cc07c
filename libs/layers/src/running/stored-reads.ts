/** What a layer's expressions read of the payload store: outputs of earlier layers, and the args of its play. */
import type { PayloadRef, Play } from '@weft/engine';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { LayerFailure } from '../layer-module.js';
import { outputText } from '../stored/output-text.js';
import { readStored } from '../stored/read-stored.js';
import { Unloaded, type LayerWork } from './layer-call.js';
import type { LayerPayloads } from './layer-payloads.js';

/** Up to here an output is read as a whole, once for all layers behind it. */
const WHOLE_BYTES = 256 * 1024;
/** Of a larger one, the expressions of one layer may read that much together. */
const MAX_READ_BYTES = 32 * 1024 * 1024;

/** Large args of the plays that run here. */
const argsOfPlays = new WeakMap<Play, Promise<Play['args']>>();

/**
 * The work with everything at hand that its expressions name, and nothing else of what is stored.
 *
 * @throws LayerFailure `expression_unresolved` when something is not stored any more, `output_too_large` when it names too much
 */
export async function withStoredReads(work: LayerWork, payloads: LayerPayloads): Promise<LayerWork> {
  const { layer, call } = work;
  const outputs = layer.reads.some(({ ref }) => call.outputs.get(ref) instanceof Unloaded)
    ? await readOutputs(work, payloads)
    : call.outputs;
  const play =
    call.play.argsRef && layer.readsArgs ? await withArgs(call.play, call.play.argsRef, payloads) : call.play;
  return outputs === call.outputs && play === call.play ? work : { ...work, call: { ...call, outputs, play } };
}

async function readOutputs({ layer, call }: LayerWork, payloads: LayerPayloads): Promise<Map<string, unknown>> {
  const read = new Map(call.outputs);
  for (const { ref, paths } of layer.reads) {
    const held = call.outputs.get(ref);
    if (!(held instanceof Unloaded)) continue;
    const open = () => payloads.open(call.play.company_id, held.ref);
    if (!(await open())) {
      throw new LayerFailure('expression_unresolved', `The output of layer "${ref}" is not stored any more.`);
    }
    if (held.ref.bytes <= WHOLE_BYTES) {
      const whole = await wholeOf(outputText(open));
      call.outputs.set(ref, whole);
      read.set(ref, whole);
    } else {
      read.set(ref, await readStored(ref, open, paths, MAX_READ_BYTES));
    }
  }
  return read;
}

async function withArgs(play: Play, argsRef: PayloadRef, payloads: LayerPayloads): Promise<Play> {
  let reading = argsOfPlays.get(play);
  if (!reading) {
    reading = readArgs(play, argsRef, payloads);
    argsOfPlays.set(play, reading);
    reading.catch(() => argsOfPlays.delete(play));
  }
  return { ...play, args: await reading };
}

async function readArgs(play: Play, argsRef: PayloadRef, payloads: LayerPayloads): Promise<Play['args']> {
  const stored = await payloads.open(play.company_id, argsRef);
  if (!stored) throw new LayerFailure('expression_unresolved', 'The args of this play are not stored any more.');
  return (await wholeOf(stored.content)) as Play['args'];
}

async function wholeOf(content: AsyncIterable<Buffer>): Promise<unknown> {
  return JSON.parse((await buffer(Readable.from(content))).toString('utf8')) as unknown;
}
