/** Outputs on their way in and out: small ones lie in the play, large ones in the payload store. */
import { INLINE_OUTPUT_BYTES, type LayerResult } from '@weft/engine';
import { LayerFailure } from '../layer-module.js';
import { Unloaded, type LayerWork } from './layer-call.js';
import type { LayerPayloads } from './layer-payloads.js';

/** Inline outputs of one play together; past it even small ones go to the payload store. */
const INLINE_TOTAL_BYTES = 1024 * 1024;

/** Keys that MongoDB's driver cannot store in a document; as JSON text in the payload store they do no harm. */
const UNSTORABLE = /"_bsontype"|\\u0000/;

export type StoredOutput = Pick<LayerResult, 'out' | 'outRef' | 'outBytes'>;

export const NO_OUTPUT: StoredOutput = { out: null, outBytes: 0 };

/**
 * Reads the outputs in the payload store that this layer's expressions name.
 *
 * @throws LayerFailure `expression_unresolved` when one of them is not stored any more
 */
export async function loadWhatItReads({ layer, call }: LayerWork, payloads: LayerPayloads): Promise<void> {
  for (const ref of layer.reads) {
    const held = call.outputs.get(ref);
    if (!(held instanceof Unloaded)) continue;
    const bytes = await payloads.get(call.play.company_id, held.ref);
    if (!bytes) throw new LayerFailure('expression_unresolved', `The output of layer "${ref}" is not stored any more.`);
    call.outputs.set(ref, JSON.parse(bytes.toString('utf8')));
  }
}

/** @throws LayerFailure `invalid_output`, `output_too_large` */
export async function storeOutput(work: LayerWork, out: unknown, payloads: LayerPayloads): Promise<StoredOutput> {
  const text = asJson(out);
  const outBytes = Buffer.byteLength(text);
  assertBytes(outBytes, work);
  const { play, inlineBytes } = work.call;
  const small = outBytes <= INLINE_OUTPUT_BYTES && inlineBytes + outBytes <= INLINE_TOTAL_BYTES;
  if (small && !UNSTORABLE.test(text)) return { out, outBytes };
  const of = { companyId: play.company_id, flowId: play.flowId, playId: play._id };
  return { out: null, outRef: await payloads.put(of, Buffer.from(text)), outBytes };
}

/** @throws LayerFailure `output_too_large` */
export function assertBytes(bytes: number, { maxOutputBytes }: LayerWork): void {
  if (bytes <= maxOutputBytes) return;
  throw new LayerFailure('output_too_large', `The output has ${bytes} bytes; at most ${maxOutputBytes} are allowed.`);
}

/** @throws LayerFailure `invalid_output` */
export function asJson(out: unknown): string {
  try {
    return JSON.stringify(out) ?? 'null';
  } catch (cause) {
    throw new LayerFailure('invalid_output', 'The output cannot be written as JSON.', undefined, { cause });
  }
}
