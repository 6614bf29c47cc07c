/** Modules that work in steps, such as agents. */
import type { LayerWait } from '@weft/engine';
import type { z } from 'zod';
import type { LayerContext, LayerFailure, ModuleFace, Output, PlayEnd, StartPlayRequest } from './layer-module.js';

/**
 * A module that works in steps: the end of each is stored before the next one begins, and none whose end is stored is made again
 * (docs/protocol.md §4 "Steps").
 */
export interface SteppingModule<Args = never> extends ModuleFace<Args> {
  readonly effect: 'steps';
  /**
   * What comes after these steps: a pure function of the arguments and of what they gave.
   *
   * @throws LayerFailure
   */
  next(args: Args, before: readonly Output[]): NextSteps;
  /** What the layer leaves when it fails with this code after these steps. */
  soFar(args: Args, before: readonly Output[], code: string): Output;
  /** Reads the recorded end of a step, as it was stored or as somebody has written it. */
  readonly recordSchema: z.ZodType<RecordedStep>;
}

/** The end of a step that a rehearsal is given in the place of the step. */
export type RecordedStep = StepName & Output;

/** What kind of step it is, and which tool it calls. */
export interface StepName {
  readonly kind: string;
  readonly tool?: string;
}

/** Steps that may be made side by side, or the output. */
export type NextSteps = { readonly steps: readonly Step[] } | { readonly end: Output };

export type Step = CallStep | AskStep | StartStep;

interface AnyStep {
  readonly name: StepName;
  /** All that it depends on. A worker that takes over goes on only where it would make the same request. */
  readonly request: unknown;
  /** What it asks, for somebody who compares it with the same step of another version. */
  readonly asks: object;
  /** The progress of the layer. */
  readonly percent: number;
  readonly status: string;
  /** Its call may change something: it is recorded in the audit log before it is made. */
  readonly isAudited?: boolean;
}

export interface CallStep extends AnyStep {
  readonly does: 'call';
  /** A call that a crash interrupted is not made again: the layer fails with `interrupted`. */
  readonly isOnce?: boolean;
  /** @throws LayerFailure, also PausedCall of a gate */
  run(context: LayerContext): Promise<Output>;
  /** What it gives when it has failed for good; without it the layer fails. */
  failed?(failure: LayerFailure): Output;
  /** What it gives in a rehearsal whose record has this end of it; without it the step touches nothing, and is made. */
  recorded?(end: RecordedStep, context: LayerContext): Promise<Output> | Output;
}

/** Waits for a person. It is the only step of its time. */
export interface AskStep extends AnyStep {
  readonly does: 'ask';
  readonly approval: NonNullable<LayerWait['approval']>;
  /** @throws LayerFailure */
  answered(payload: unknown): Output;
}

/** Starts a play and waits for its end. */
export interface StartStep extends AnyStep {
  readonly does: 'start';
  readonly play: Omit<StartPlayRequest, 'awaited'>;
  ended(end: PlayEnd): Output;
  /** It could not be started. */
  failed(failure: LayerFailure): Output;
  /** As of a call. */
  recorded(end: RecordedStep): Output;
}
