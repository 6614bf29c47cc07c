import { SetMetadata } from '@nestjs/common';
import { MetadataScanner } from '@nestjs/core';

export interface PassOptions {
  /** Shows in the log, in `weft_pass_duration_seconds`, and in `/health` while the pass is stuck. Unique in its process. */
  readonly name: string;
  /** From the end of a pass to the start of the next. */
  readonly everyMs: number;
  /**
   * What it does instead while nothing asks for it: once `PassRunner.wake` was not called for ten seconds, the next pass begins after
   * this time, or when it is called. Default: `everyMs`.
   */
  readonly restMs?: number;
  /** A pass that lasts longer counts as stuck; default 15 minutes. */
  readonly longestMs?: number;
}

const PASS = Symbol('PASS');

/**
 * Repeats the method for as long as the process lives: one pass at a time. A pass that fails is logged and counted, and the next
 * one is made as usual. The method's `AbortSignal` says that the process stops: a long pass then ends at its next safe place, and
 * the stop waits for it. `PassRunner` finds the methods of all providers.
 */
export const Pass = (options: PassOptions) => SetMetadata(PASS, options);

export interface FoundPass {
  readonly options: PassOptions;
  readonly pass: (signal: AbortSignal) => Promise<unknown>;
}

/** The methods of this provider with `@Pass`. */
export function* passesOf(provider: object, scanner = new MetadataScanner()): Generator<FoundPass> {
  for (const key of scanner.getAllMethodNames(Object.getPrototypeOf(provider) as object | null)) {
    const method: unknown = Reflect.get(provider, key);
    if (typeof method !== 'function') continue;
    const options = Reflect.getMetadata(PASS, method) as PassOptions | undefined;
    if (options) yield { options, pass: (signal) => Reflect.apply(method, provider, [signal]) as Promise<unknown> };
  }
}
