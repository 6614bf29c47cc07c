import type { EgressClient } from '@weft/egress';
import type { z } from 'zod';

/** What a module is given besides its arguments; nothing else of the process is within its reach. */
export interface LayerContext {
  readonly playId: string;
  /** `<playId>.<layer position>`: the same for every attempt of this layer, so that a peer can recognise a repetition. */
  readonly idempotencyKey: string;
  /** Aborted at the layer's time limit, at cancel and when the worker lost the play. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  readonly http: EgressClient;
  /** Told to watchers at most once a second; never stored. */
  progress(percent: number, status: string): void;
}

/**
 * One kind of layer. `effect: 'pure'` promises that two computations of the same arguments give the same output and touch
 * nothing outside: such results may be computed again after a crash.
 */
export interface LayerModule<Args = never> {
  readonly appId: string;
  readonly title: string;
  readonly description: string;
  readonly icon: string;
  readonly effect: 'pure' | 'effect';
  /** Of the arguments after their expressions were evaluated. */
  readonly argsSchema: z.ZodType<Args>;
  readonly outSchema: z.ZodType;
  readonly examples: readonly { readonly title: string; readonly args: Readonly<Record<string, unknown>> }[];
  run(args: Args, context: LayerContext): Promise<Record<string, unknown>> | Record<string, unknown>;
}

/** A layer that could not do its work. `out` is kept when there is one (a web request whose status was refused). */
export class LayerFailure extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly out?: Record<string, unknown>,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = 'LayerFailure';
  }
}
