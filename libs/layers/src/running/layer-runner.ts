import type { EgressClient } from '@weft/egress';
import { evaluate, EvaluationError, type Scope } from '@weft/expressions';
import { INLINE_OUTPUT_BYTES, type LayerOutcome, type LayerResult, type LayerWait, type Play } from '@weft/engine';
import { z } from 'zod';
import { LayerFailure, type LayerContext } from '../layer-module.js';
import type { LayerPayloads } from './layer-payloads.js';
import type { PreparedLayer, PreparedVersion } from './prepared-version.js';

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** Inline outputs of one play together; past it even small ones go to the payload store. */
const INLINE_TOTAL_BYTES = 1024 * 1024;

export interface LayerCall {
  readonly play: Play;
  readonly prepared: PreparedVersion;
  readonly position: number;
  /** Which call this is, from 1: failed ones before it that are known. */
  readonly attempt: number;
  /** What the layer said before that it waits for; null = it was not asked yet. */
  readonly wait: LayerWait | null;
  /** An answer that has arrived for it (`Play.inbox`). */
  readonly answer: { readonly payload: unknown } | null;
  /** Outputs of the layers before, by ref; large ones still as `Unloaded`. */
  readonly outputs: Map<string, unknown>;
  /** Bytes of inline outputs so far. */
  readonly inlineBytes: number;
  readonly signal: AbortSignal;
  readonly by: string;
}

export interface LayerRunnerOptions {
  readonly http: EgressClient;
  readonly payloads: LayerPayloads;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
}

/** Runs one layer: evaluates its arguments, calls its module within its time limit, and puts a large output away. */
export class LayerRunner {
  constructor(private readonly options: LayerRunnerOptions) {}

  /** Never rejects for the layer's sake: what went wrong is in the result. The output itself comes beside it. */
  async run(call: LayerCall): Promise<{ readonly outcome: LayerOutcome; readonly out: unknown }> {
    const layer = call.prepared.layers[call.position];
    if (!layer) throw new RangeError(`play ${call.play._id} has no layer at ${call.position}`);
    const startedAt = new Date(this.options.serverNow());
    const base = {
      position: call.position,
      ref: layer.definition.ref,
      name: layer.definition.name,
      startedAt,
      attempts: call.attempt,
      by: call.by,
    };
    try {
      const out = await this.callModule(layer, call);
      const stored = await this.store(call, out);
      return done({ ...base, state: 'DONE', ...stored, completedAt: this.endOf(startedAt) }, out);
    } catch (error) {
      const failure = asFailure(error);
      const kept = failure.out ? await this.store(call, failure.out).catch(() => NOTHING) : NOTHING;
      const result: LayerResult = {
        ...base,
        state: 'FAIL',
        ...kept,
        completedAt: this.endOf(startedAt),
        error: { code: failure.code, message: failure.message },
      };
      return done(result, failure.out ?? null);
    }
  }

  private async callModule(layer: PreparedLayer, call: LayerCall): Promise<Record<string, unknown>> {
    const { definition, module } = layer;
    if (!module) throw new LayerFailure('unknown_app', `There is no module "${definition.appId}" in this worker.`);
    await this.loadWhatItReads(layer, call);
    const { version } = call.prepared;
    const value = evaluate(layer.args, scopeOf(call), { onMissing: version.settings.onMissing });
    const args = module.argsSchema.safeParse(value);
    if (!args.success) throw new LayerFailure('invalid_args', z.prettifyError(args.error));
    const timeoutMs = definition.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const context = (signal: AbortSignal): LayerContext => ({
      playId: call.play._id,
      idempotencyKey: `${call.play._id}.${call.position}`,
      signal,
      timeoutMs,
      maxOutputBytes: version.settings.maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES,
      http: this.options.http,
      progress: () => undefined,
    });
    if (module.effect === 'pure') return module.run(args.data, context(call.signal));
    return withTimeLimit(timeoutMs, call.signal, (signal) => module.run(args.data, context(signal)));
  }

  /** Outputs that lie in the payload store are read only when an expression of this layer names their layer. */
  private async loadWhatItReads(layer: PreparedLayer, call: LayerCall): Promise<void> {
    for (const { ref } of layer.args.refs) {
      const held = call.outputs.get(ref);
      if (!(held instanceof Unloaded)) continue;
      const bytes = await this.options.payloads.get(call.play.company_id, held.ref);
      if (!bytes)
        throw new LayerFailure('expression_unresolved', `The output of layer "${ref}" is not stored any more.`);
      call.outputs.set(ref, JSON.parse(bytes.toString('utf8')));
    }
  }

  private async store(call: LayerCall, out: unknown): Promise<Pick<LayerResult, 'out' | 'outRef' | 'outBytes'>> {
    const text = asJson(out);
    const outBytes = Buffer.byteLength(text);
    const limit = call.prepared.version.settings.maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES;
    if (outBytes > limit) {
      throw new LayerFailure('output_too_large', `The output has ${outBytes} bytes; at most ${limit} are allowed.`);
    }
    const small = outBytes <= INLINE_OUTPUT_BYTES && call.inlineBytes + outBytes <= INLINE_TOTAL_BYTES;
    if (small && !UNSTORABLE.test(text)) return { out, outBytes };
    const { play } = call;
    const outRef = await this.options.payloads.put(
      { companyId: play.company_id, flowId: play.flowId, playId: play._id },
      Buffer.from(text),
    );
    return { out: null, outRef, outBytes };
  }

  private endOf(startedAt: Date): Date {
    return new Date(Math.max(startedAt.getTime(), this.options.serverNow()));
  }
}

/** Keys that MongoDB's driver cannot store in a document; as JSON text in the payload store they do no harm. */
const UNSTORABLE = /"_bsontype"|\\u0000/;

/** An output of an earlier hand-out that lies in the payload store. */
export class Unloaded {
  constructor(readonly ref: NonNullable<LayerResult['outRef']>) {}
}

function done(result: LayerResult, out: unknown): { readonly outcome: LayerOutcome; readonly out: unknown } {
  return { outcome: { kind: 'result', result }, out };
}

const NOTHING = { out: null, outBytes: 0 } as const;

function scopeOf({ play, prepared, outputs }: LayerCall): Scope {
  return {
    layers: outputs,
    args: play.args,
    blueprint: {},
    play: { id: play._id },
    flow: { name: prepared.version.name },
    company: { name: prepared.companyName },
  };
}

function asJson(out: unknown): string {
  try {
    return JSON.stringify(out) ?? 'null';
  } catch (cause) {
    throw new LayerFailure('invalid_output', 'The output cannot be written as JSON.', undefined, { cause });
  }
}

function asFailure(error: unknown): LayerFailure {
  if (error instanceof LayerFailure) return error;
  if (error instanceof EvaluationError) return new LayerFailure(error.code, error.message);
  return new LayerFailure('internal', error instanceof Error ? error.message : String(error), undefined, {
    cause: error,
  });
}

async function withTimeLimit<T>(
  ms: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T> | T,
): Promise<T> {
  const controller = new AbortController();
  const onAbort = () => controller.abort(outer.reason);
  const timer = setTimeout(
    () => controller.abort(new LayerFailure('timeout', `The layer took longer than ${ms} ms.`)),
    ms,
  );
  outer.addEventListener('abort', onAbort, { once: true });
  try {
    return await work(controller.signal);
  } catch (error) {
    throw controller.signal.reason instanceof LayerFailure ? controller.signal.reason : error;
  } finally {
    clearTimeout(timer);
    outer.removeEventListener('abort', onAbort);
  }
}
