import type { EgressClient, EgressDialer } from '@weft/egress';
import type { LayerWait } from '@weft/engine';
import type { z } from 'zod';
import type { StoredContent } from './stored/content.js';

/** Where content is put that is too large to be held. */
export interface LayerStorage {
  /**
   * Takes all of it, no faster than it is stored; the output then has `read(…)` of it in the fields that stand for it.
   *
   * @throws LayerFailure `output_too_large`, or what the content throws; nothing stays then
   */
  put(content: AsyncIterable<Uint8Array>): Promise<StoredContent>;
}

export type Output = Record<string, unknown>;

/** An integration link as a module uses it. The secret must not appear in an output or a message. */
export interface Connection {
  /** What it is a link to, as its maker called it: `slack`, `openai`, … */
  readonly type: string;
  /** Where the service is; null when the link does not say. */
  readonly endpoint: string | null;
  /** A token, key, password or address that can be used now. */
  readonly secret: string;
}

/** A flow that a layer wants to be run. */
export interface StartAsk {
  readonly flowId: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** The layer waits until the play has ended. */
  readonly awaited: boolean;
}

export interface StartedPlay {
  readonly playId: string;
  readonly state: string;
  /** Set when it has ended already. */
  readonly ended: PlayEnd | null;
}

export interface PlayEnd {
  readonly playId: string;
  readonly state: string;
  /** Of the last layer that ran. */
  readonly out: unknown;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** What one call of a language model took. */
export interface AiUse {
  readonly provider: string;
  readonly model: string;
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** Dollars, where the answer says it. */
  readonly cost: number | null;
}

/** What a module is given besides its arguments; nothing else of the process is within its reach. */
export interface LayerContext {
  readonly playId: string;
  /**
   * `<playId>.<layer position>`, in a loop with `.<index>` behind it: the same for every attempt, also those of a retry
   * (the play is the first of its chain), so that a peer can recognise a repetition.
   */
  readonly idempotencyKey: string;
  /** Aborted at the layer's time limit, at cancel and when the worker lost the play. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  readonly http: EgressClient;
  /** For protocols other than HTTP, under the same guard. */
  readonly sockets: EgressDialer;
  /** Null in a loop, where an output is a part of a larger one. */
  readonly storage: LayerStorage | null;
  /** The integration links of the play's company. */
  readonly integrations: {
    /**
     * A token that can be used now; it must not appear in an output or a message.
     *
     * @throws LayerFailure `integration_not_found`, `integration_unusable`
     */
    accessToken(integrationId: string): Promise<string>;
  };
  /** The same token, with what else the link says. */
  connection(integrationId: string): Promise<Connection>;
  /** The key-value store of the play's company. Every use is in the play's `kv_summary`. */
  readonly kv: {
    get(key: string): Promise<{ readonly value: unknown; readonly existed: boolean }>;
    /** @throws LayerFailure `value_too_large` */
    set(key: string, value: unknown, ttlMs?: number | null): Promise<{ readonly existed: boolean }>;
    /** @throws LayerFailure `not_a_number`, `out_of_range` */
    increment(
      key: string,
      by?: number,
      ttlMs?: number | null,
    ): Promise<{ readonly value: number; readonly existed: boolean }>;
    delete(key: string): Promise<{ readonly existed: boolean }>;
  };
  /** Plays of other flows of the company. */
  readonly plays: {
    /** The play of this layer: the same, however often it is asked for. */
    start(ask: StartAsk): Promise<StartedPlay>;
    /** Null while it has not ended, and when it is not stored any more. */
    ended(playId: string): Promise<PlayEnd | null>;
  };
  /** Counts what a model used. @returns its cost in dollars; null when nobody knows the price */
  accountAi(use: AiUse): number | null;
  /** Where what users wrote is run, for as long as the call may last. */
  readonly sandbox: LayerSandbox;
  /** How far it is, 0 to 100. Call it as often as you like: watchers are told once a second, and nothing is stored. */
  progress(percent: number, status: string): void;
}

/** All of it the same for the same arguments: time is that of the play, chance follows from the call. */
export interface LayerSandbox {
  /**
   * What a JSONata program gives, null for nothing; it reads what the layer's expressions can read, and `input`.
   *
   * @throws LayerFailure `expression_failed`, `sandbox_limit`, `cancelled`
   */
  transform(expression: string, input: unknown): Promise<unknown>;
  /** @throws LayerFailure `code_failed`, `sandbox_limit`, `cancelled` */
  code(source: string, input: unknown, timeoutMs: number): Promise<{ value: unknown; logs: readonly string[] }>;
  /** @throws LayerFailure `extraction_failed`, `sandbox_limit`, `cancelled` */
  extract(order: {
    readonly how: 'regex' | 'jsonpath' | 'css';
    readonly pattern: string;
    readonly source: string;
    readonly group: number;
    readonly all: boolean;
  }): Promise<readonly unknown[]>;
}

interface ModuleFace<Args> {
  readonly appId: string;
  readonly title: string;
  readonly description: string;
  readonly icon: string;
  /** Of the arguments after their expressions were evaluated. */
  readonly argsSchema: z.ZodType<Args>;
  readonly outSchema: z.ZodType;
  readonly examples: readonly { readonly title: string; readonly args: Readonly<Record<string, unknown>> }[];
  /** Arguments that are conditions, as paths in dots with `*` for any position: what is not understood is refused on save. */
  readonly conditions?: readonly string[];
  /** Arguments that are programs: taken as they are, never put together from data. */
  readonly programs?: readonly string[];
  /** Of those, the one in JSONata: what it reads counts as read by the layer. */
  readonly jsonata?: string;
  /** What is wrong with arguments that are written out and fit the schema; asked on save. */
  inspect?(args: Readonly<Record<string, unknown>>): { readonly path: string; readonly message: string } | null;
  /** Arguments that are addresses which it calls: one that is blocked is warned of when the layer is read. */
  readonly destinations?: readonly string[];
  /** Arguments that are refs of later layers, likewise: refs that lead nowhere are warned of on save. */
  readonly refs?: readonly string[];
}

/**
 * A module that does its work when it is called. `effect: 'pure'` promises that two computations of the same arguments give
 * the same output and touch nothing outside: such results may be computed again after a crash.
 */
export interface WorkingModule<Args = never> extends ModuleFace<Args> {
  readonly effect: 'pure' | 'effect';
  run(args: Args, context: LayerContext): Promise<Output> | Output;
  /** What the output means for the layers behind it. Such a module cannot loop. */
  steer?(args: Args, out: Output): Steering | undefined;
}

/** Layers that are not run: SKIP for those named, FILTERED for all that are left. */
export type Steering = { readonly skip: readonly string[] } | { readonly filterRest: true };

/**
 * A module that waits and touches nothing: it is asked when its turn comes, and again when the time that it named is up or an
 * answer has come; in between the play is parked and costs nothing.
 */
export interface WaitingModule<Args = never> extends ModuleFace<Args> {
  readonly effect: 'park';
  ask(args: Args, visit: Visit): Asked;
}

export interface Visit {
  /** When the layer was asked first. */
  readonly since: Date;
  /** What it waits for already; null at the first visit. */
  readonly wait: LayerWait | null;
  /** What came in for it: an event, a decision, a resume call; null while nothing did. */
  readonly answer: { readonly payload: unknown } | null;
  readonly now: Date;
}

export type Asked = { readonly done: Output } | { readonly wait: Omit<LayerWait, 'position' | 'ref' | 'since'> };

/**
 * A module that sets something off which tells when it has ended: `begin` may be called again after a crash and must set nothing
 * off twice; what it waits for leaves an answer, with which `end` is called.
 */
export interface StartingModule<Args = never> extends ModuleFace<Args> {
  readonly effect: 'start';
  begin(args: Args, context: LayerContext): Promise<Asked>;
  end(args: Args, answer: { readonly payload: unknown }, context: LayerContext): Promise<Output>;
}

/** One kind of layer. */
export type LayerModule<Args = never> = WorkingModule<Args> | WaitingModule<Args> | StartingModule<Args>;

/** A layer that could not do its work. `out` is kept when there is one (a web request whose status was refused). */
export class LayerFailure extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly out?: Output,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = 'LayerFailure';
  }
}
