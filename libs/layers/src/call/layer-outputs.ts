/** Stores outputs: small ones in the play, large ones and those with a credential in the payload store. */
import {
  INLINE_OUTPUT_BYTES,
  isParsed,
  packOut,
  withoutBigIntegers,
  type LayerResult,
  type PayloadForm,
} from '@weft/engine';
import { MAX_JSON_DEPTH, writeJson } from '@weft/kernel';
import { LayerFailure, type LayerModule, type Output } from '../layer-module.js';
import { isDeeperThan } from '../modules/web-request/read-body.js';
import { contentOutput, readsContent, type ContentOutput } from '../stored/content.js';
import { UnloadedOutput, type PreparedCall } from './layer-call.js';
import type { LayerPayloads } from './layer-payloads.js';

/**
 * A response at its maximum depth, in the output of an item, in the list of a loop; MongoDB takes no document of 100
 * levels.
 */
const MAX_DEPTH = MAX_JSON_DEPTH + 2;

/** Keys that MongoDB's driver cannot store in a document; in JSON text in the payload store they are harmless. */
const UNSTORABLE = /"_bsontype"|\\u0000/;

export type StoredOutput = Pick<LayerResult, 'out' | 'jsonFrom' | 'outRef' | 'outBytes'>;

export const NO_OUTPUT: StoredOutput = { out: null, outBytes: 0 };

/** @throws LayerFailure `invalid_output`, `output_too_large` */
export async function storeOutput(work: PreparedCall, out: unknown, payloads: LayerPayloads): Promise<StoredOutput> {
  const made = contentOutput(out);
  if (made) return finishContent(work, made);
  const { text, hasBigIntegers } = written(out);
  const outBytes = Buffer.byteLength(text);
  assertBytes(outBytes, work);
  if (isDeep(out, text)) {
    const message = `The output is nested deeper than ${MAX_DEPTH} levels, which nothing behind it could store.`;
    throw new LayerFailure('invalid_output', message);
  }
  const { play, inlineBudget } = work.call;
  const { jsonFrom, credential } = work.layer.module ?? {};
  const isOnce = jsonFrom === 'body';
  if (outBytes <= INLINE_OUTPUT_BYTES && !UNSTORABLE.test(text) && !hasField(out, credential)) {
    const packed = packedOut(out, { text, hasBigIntegers }, jsonFrom);
    if (inlineBudget.take(packed.out)) return { ...packed, outBytes };
  }
  const of = { companyId: play.company_id, flowId: play.flowId, playId: play._id };
  const once = isOnce ? asContent(out, outBytes) : null;
  const { $ref } = once ? await payloads.put(of, once.content, once.form) : await payloads.put(of, Buffer.from(text));
  // the bytes are those of the output, however it is stored: they decide on how it is read and shown
  return { out: null, outRef: { $ref, bytes: outBytes }, outBytes };
}

function packedOut(
  out: unknown,
  { text, hasBigIntegers }: Written,
  jsonFrom: LayerModule<unknown>['jsonFrom'],
): Pick<StoredOutput, 'out' | 'jsonFrom'> {
  if (jsonFrom === 'text') return { out: { text }, jsonFrom };
  const once = jsonFrom === 'body' ? packOut(out) : { out };
  return hasBigIntegers ? withoutBigIntegers(once, out) : once;
}

/** @param out of a layer, or of each item of its loop */
function hasField(out: unknown, name: string | undefined): boolean {
  if (name === undefined) return false;
  return [out].flat().some((each) => typeof each === 'object' && each !== null && Object.hasOwn(each, name));
}

/** An output in memory in the form in which a large body is stored; null: it has nothing that is stored twice. */
function asContent(out: unknown, bytes: number): { readonly content: Buffer; readonly form: PayloadForm } | null {
  if (typeof out !== 'object' || out === null || Array.isArray(out) || !isParsed(out as Output)) return null;
  const { body, json: _json, ...rest } = out as Output & { readonly body: string };
  // what UTF-8 cannot express comes from no answer
  if (!body.isWellFormed()) return null;
  const form: PayloadForm = { outline: JSON.stringify(rest), content: { body: 'text', json: 'json' }, bytes };
  return { content: Buffer.from(body), form };
}

/** What later expressions read of a stored output: the value, or a reference to it. */
export function remembered(out: unknown, { outRef }: StoredOutput): unknown {
  if (!readsContent(out)) return out;
  return outRef ? new UnloadedOutput(outRef) : null;
}

/** What is stored counts: the content once, however many fields read it. */
async function finishContent(work: PreparedCall, { content, form }: ContentOutput): Promise<StoredOutput> {
  const outBytes = content.bytes + Buffer.byteLength(form.outline);
  try {
    assertBytes(outBytes, work);
    const { $ref } = await content.finish(form);
    return { out: null, outRef: { $ref, bytes: outBytes }, outBytes };
  } catch (error) {
    await content.discard().catch(() => undefined);
    throw error;
  }
}

/** @throws LayerFailure `output_too_large` */
export function assertBytes(bytes: number, { maxOutputBytes }: PreparedCall): void {
  if (bytes <= maxOutputBytes) return;
  throw new LayerFailure('output_too_large', `The output has ${bytes} bytes; at most ${maxOutputBytes} are allowed.`);
}

/** Most outputs have too few brackets to be deep, which is quickly counted. */
function isDeep(out: unknown, text: string): boolean {
  let left = MAX_DEPTH;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at !== -1 && left >= 0; at = text.indexOf(bracket, at + 1)) left -= 1;
  }
  return left < 0 && isDeeperThan(out, MAX_DEPTH);
}

/** @throws LayerFailure `invalid_output` */
export function asJson(out: unknown): string {
  return written(out).text;
}

interface Written {
  readonly text: string;
  readonly hasBigIntegers: boolean;
}

function written(out: unknown): Written {
  try {
    const { json = 'null', hasBigIntegers } = writeJson(out);
    return { text: json, hasBigIntegers };
  } catch (cause) {
    throw new LayerFailure('invalid_output', 'The output cannot be written as JSON.', undefined, { cause });
  }
}
