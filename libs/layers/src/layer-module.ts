import type { FileValue } from '@weft/contracts';
import type { LinkKind, LinkSettings } from '@weft/shapes';
import type { EgressClient, EgressDialer, EgressResponse } from '@weft/egress';
import type { LayerWait } from '@weft/engine';
import type { z } from 'zod';
import type { Face, FaceFault, Faces } from './face.js';
import type { Session } from './sql/session.js';
import type { StoredFile } from './call/layer-files.js';
import type { LayerPart } from './layer-part.js';
import type { AnswerRoom } from './memory/answer-room.js';
import type { SteppingModule } from './stepping-module.js';
import type { StoredContent } from './stored/content.js';

/** Stores content that is too large for memory. */
export interface LayerStorage {
  /**
   * Stores all of the content, no faster than the store takes it; `read(…)` then makes the fields that show it.
   *
   * @throws LayerFailure `output_too_large`, or the error of the content; nothing stays stored then
   */
  put(content: AsyncIterable<Uint8Array>): Promise<StoredContent>;
}

/** Files of the play's company, each by its reference: `{ $ref, … }` in args and outputs. */
export interface LayerFiles {
  /**
   * @param where the argument that refers to it, for the message
   * @throws LayerFailure `invalid_args` when the company has no such file (any more)
   */
  open(value: unknown, where: string): Promise<StoredFile>;
  /** Stores all of the content, no faster than the store takes it. The play refers to it from then on. */
  store(
    content: AsyncIterable<Uint8Array>,
    label: { readonly contentType: string; readonly filename: string | null },
  ): Promise<FileValue>;
}

export type Output = Record<string, unknown>;

/** An integration link as a module uses it. The secret must not appear in an output or a message. */
export interface Connection {
  /** The kind of service, as the creator of the link named it: `slack`, `openai`, … */
  readonly type: string;
  /** URL of the service; null when the link does not have one. */
  readonly endpoint: string | null;
  /** A token, key, password or address that can be used now; of the kind `basic` both, as `user:password`. */
  readonly secret: string;
  /** Default: `bearer`. */
  readonly kind?: LinkKind;
  readonly settings?: LinkSettings;
  /** After a peer has refused the token: the link with another one; null when there is no other. It is called once. */
  readonly renewed?: () => Promise<Connection | null>;
}

/** A layer's request to start a play of another flow. */
export interface StartPlayRequest {
  readonly flowId: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Whether the layer waits until the play has ended. */
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
  /** The output of the last layer that ran. */
  readonly out: unknown;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** What one call of a language model used. */
export interface AiUsage {
  readonly provider: string;
  readonly model: string;
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** Dollars, if the answer states it. */
  readonly cost: number | null;
}

/** Statements that a layer sends to the database of a link. */
export interface DatabaseAsk {
  readonly integrationId: string;
  /** How many they are, for rate limits. */
  readonly statements: number;
  /** Of each. */
  readonly timeoutMs: number;
  readonly isReadOnly: boolean;
}

/** What a change of an entry of the key-value store found and made. */
export interface KvChanged {
  readonly existed: boolean;
  /** Of the entry after the change: it grows with each change, and no later entry of the key has it again. */
  readonly version: number;
}

/** An entry of the key-value store; without one the value and the version are null. */
export interface KvFound {
  readonly value: unknown;
  readonly existed: boolean;
  readonly version: number | null;
}

/** What a module gets besides its arguments; it has no access to anything else of the process. */
export interface LayerContext {
  readonly playId: string;
  /**
   * `<playId>.<layer position>`, in a loop followed by `.<index>`: the same for every attempt, also those of a retry
   * (the play is the first of its chain), so that a peer can recognise a repetition.
   */
  readonly idempotencyKey: string;
  /** Aborted at the layer's time limit, on cancel, and when the worker has lost the play. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  readonly http: EgressClient;
  /** For what is sent after the call has ended, without an effect: neither gate nor proof is asked. It holds nothing of the call. */
  readonly afterwards: EgressClient;
  /** The body, of `most` bytes at most, of an answer to a request with `streamPast`: a large one waits for room in this process. */
  whole(response: EgressResponse, most: number): Promise<Buffer>;
  /**
   * Room for answers that arrive in pieces: a large one waits for room in this process, and the call's time limit stands still. It is free
   * again when the call has ended.
   *
   * @param sender for messages
   * @param most bytes of all answers together
   * @param free bytes that need no room
   */
  hold(sender: string, most: number, free: number): AnswerRoom;
  /** For protocols other than HTTP, under the same guard. */
  readonly sockets: EgressDialer;
  /** Null in a loop, where an output is part of a larger one. */
  readonly storage: LayerStorage | null;
  readonly files: LayerFiles;
  /** The integration links of the play's company. */
  readonly integrations: {
    /**
     * A token that can be used now; it must not appear in an output or a message.
     *
     * @throws LayerFailure `integration_not_found`, `integration_unusable`
     */
    accessToken(integrationId: string): Promise<string>;
  };
  /** The same token with the other fields of the link. */
  connection(integrationId: string): Promise<Connection>;
  /**
   * Runs `work` with a session of the database of a link, which nobody else uses meanwhile.
   *
   * @throws LayerFailure
   */
  readonly database: <T>(ask: DatabaseAsk, work: (session: Session) => Promise<T>) => Promise<T>;
  /** The key-value store of the play's company. Every use is recorded in the play's `kv_summary`. */
  readonly kv: {
    get(key: string): Promise<KvFound>;
    /** Sets it unless it is there, and gives what is there then. @throws LayerFailure `value_too_large` */
    add(key: string, value: unknown, ttlMs?: number | null): Promise<KvFound>;
    /** @throws LayerFailure `value_too_large`, `version_conflict` unless it has `ifVersion` */
    set(key: string, value: unknown, ttlMs?: number | null, ifVersion?: number): Promise<KvChanged>;
    /** @throws LayerFailure `not_a_number`, `out_of_range` */
    increment(key: string, by?: number, ttlMs?: number | null): Promise<KvChanged & { readonly value: number }>;
    /** @throws LayerFailure `version_conflict` unless it has `ifVersion` */
    delete(key: string, ifVersion?: number): Promise<{ readonly existed: boolean }>;
  };
  /** Plays of other flows of the company. */
  readonly plays: {
    /** The play of this layer; repeated calls give the same play. */
    start(ask: StartPlayRequest): Promise<StartedPlay>;
  };
  /** Records what a model used. @returns its cost in dollars; null when the price is unknown */
  accountAi(use: AiUsage): number | null;
  /** Runs what users wrote, within the time limit of the call. */
  readonly sandbox: LayerSandbox;
  /**
   * Reports progress from 0 to 100. It may be called often: watchers are notified once a second, and nothing is stored.
   */
  progress(percent: number, status: string): void;
  /**
   * Begins a text that arrives in pieces, for those who watch: an answer of a model, by its number in this call of the layer.
   * Pieces may be added often: they are sent at most four times a second, together with progress that is reported, and nothing is
   * stored. It has no secrets. Call `end` when it is whole.
   */
  says(answer: number): { add(text: string): void; end(): void };
}

/**
 * Its results are the same for the same arguments: the time is that of the play, random numbers follow from the call.
 */
export interface LayerSandbox {
  /**
   * The value of a JSONata program, null for none; the program reads the same variables as the layer's expressions, and
   * `input`.
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

export interface ModuleFace<Args> {
  readonly appId: string;
  readonly title: string;
  readonly description: string;
  readonly icon: string;
  /** Schema of the arguments after their expressions were evaluated. */
  readonly argsSchema: z.ZodType<Args>;
  /** The argument that may be any object for the schema, since `bind` judges it. Where only it changes, the others are parsed once. */
  readonly openArg?: string;
  /** The time limit of an attempt whose layer has none, in ms; default: 30,000. */
  readonly timeoutMs?: number;
  /** Whether a call that a crash interrupted is not made again unless the layer says so; default: never. */
  isNeverRepeated?(args: Readonly<Record<string, unknown>>): boolean;
  readonly outSchema: z.ZodType;
  readonly examples: readonly { readonly title: string; readonly args: Readonly<Record<string, unknown>> }[];
  /** Arguments that are conditions, as paths in dots with `*` for any position: invalid ones are refused on save. */
  readonly conditions?: readonly string[];
  /** Arguments that are programs, as paths in dots with `*` for any position: used as written, never built from data. */
  readonly programs?: readonly string[];
  /** The one of `programs` that is JSONata: what it reads counts as read by the layer. */
  readonly jsonata?: string;
  /**
   * Finds faults in literal arguments of which nothing certain is wrong with the schema; called on save.
   *
   * @param face what the arguments name, once it is known
   */
  inspect?(
    args: Readonly<Record<string, unknown>>,
    face?: Face,
  ): { readonly path: string; readonly message: string } | null;
  /** Arguments that are addresses the module calls: the layer's warnings mention blocked ones. */
  readonly destinations?: readonly string[];
  /**
   * How its output is stored in the play. `body`: that field has the text from which `json` was parsed, which is the last field and is left
   * out; `text`: all of it as its JSON text, which MongoDB's driver writes faster than fields. Default: as fields.
   */
  readonly jsonFrom?: 'body' | 'text';
  /** A field of its output that is a credential: events and webhooks have a reference to an output with this field, and not the output. */
  readonly credential?: string;
  /** Arguments whose values may hold `{{ $link.<field> }}`: the module puts the field in its place as it sends it. */
  readonly linkPlaces?: readonly string[];
  /** The key of what the arguments name that a company has of its own; null: they name nothing yet. */
  faceKey?(args: Readonly<Record<string, unknown>>): string | null;
  /** The layers of other modules that the arguments hold, such as the tools of an agent: what they name is treated as if they were layers. */
  partsOf?(args: Readonly<Record<string, unknown>>): readonly LayerPart[];
  /** Finds faults in a part by what it names; paths from the part. Called on save. */
  inspectPart?(part: LayerPart, face: Face): readonly { readonly path: string; readonly message: string }[];
  /**
   * The arguments, with what they name, as the module runs with them: called for every call of a module that has a `faceKey`.
   *
   * @param face undefined: nobody has looked for it
   * @param faces all that the layers of the flow name
   * @throws LayerFailure
   */
  bind?(args: Args, face: Face | FaceFault | undefined, faces?: Faces): Args;
  /** The kinds of links that `integrationId` may name; default: every kind. */
  readonly linkKinds?: readonly LinkKind[];
  /** Arguments that are refs of later layers, likewise: unknown refs cause a warning on save. */
  readonly refs?: readonly string[];
}

/**
 * A module that does its work in one call. `effect: 'pure'` promises that two computations of the same arguments give
 * the same output and have no effect outside: such results may be computed again after a crash.
 */
export interface WorkingModule<Args = never> extends ModuleFace<Args> {
  readonly effect: 'pure' | 'effect';
  run(args: Args, context: LayerContext): Promise<Output> | Output;
  /** What a call with these arguments would do, for somebody who tries the layer; without it, it may change something. */
  intentOf?(args: Args): CallIntent;
  /** What the output decides for later layers. Such a module cannot loop. */
  steer?(args: Args, out: Output): Steering | undefined;
  readonly paging?: Paging<Args>;
}

export interface CallIntent {
  /** Whether the call only reads. */
  readonly reads: boolean;
  /** The web request, without credentials; null: it is not one. */
  readonly request: { readonly method: string; readonly url: string } | null;
}

/** How a module goes on with an answer that comes in pages: each page is a call of its own, stored like the item of a loop. */
export interface Paging<Args = never> {
  /** The argument that asks for it. It is used as written: only its `expressions` are evaluated, after each page. */
  readonly option: string;
  /** Fields of the option, in dots, that are one whole expression over `$page`; a missing value is null. */
  readonly expressions: readonly { readonly path: string; readonly isCondition?: true }[];
  /** The most pages; null: these arguments ask for one call. */
  most(args: Args): number | null;
  /** What two calls for the same page have in common, and no two others. */
  identityOf(args: Args): unknown;
  /**
   * What is kept of the answer to one call.
   *
   * @throws LayerFailure `invalid_output`
   */
  pageOf(out: Output): Output;
  /**
   * The arguments of the call for the next page; null: this was the last one.
   *
   * @param first the arguments of the layer
   * @param found values of the expressions by path
   * @throws LayerFailure `invalid_args`, `destination_blocked`
   */
  following(first: Args, args: Args, page: Output, found: Readonly<Record<string, unknown>>): Args | null;
}

/** Layers that do not run: SKIP for those named, FILTERED for all remaining ones. */
export type Steering = { readonly skip: readonly string[] } | { readonly filterRest: true };

/**
 * A module that waits and has no effects: it is called at its turn, and again when the time that it named is over or an
 * answer has arrived; in between the play is parked and costs nothing.
 */
export interface WaitingModule<Args = never> extends ModuleFace<Args> {
  readonly effect: 'park';
  ask(args: Args, visit: Visit): VisitResult;
}

export interface Visit {
  /** When the layer was called first. */
  readonly since: Date;
  /** What it waits for; null at the first visit. */
  readonly wait: LayerWait | null;
  /** The answer that arrived for it: an event, a decision, a resume call; null: none yet. */
  readonly answer: { readonly payload: unknown } | null;
  readonly now: Date;
}

export type VisitResult = { readonly done: Output } | { readonly wait: Omit<LayerWait, 'position' | 'ref' | 'since'> };

/**
 * A module that starts a play: `start` is called again after a crash, and when the play has ended, and must start nothing twice.
 */
export interface StartingModule<Args = never> extends ModuleFace<Args> {
  readonly effect: 'start';
  start(args: Args, context: LayerContext): Promise<StartResult>;
}

/** `waitsFor`: id of the play whose end the layer waits for. */
export type StartResult = { readonly done: Output } | { readonly waitsFor: string };

/** One kind of layer. */
export type LayerModule<Args = never> =
  WorkingModule<Args> | WaitingModule<Args> | StartingModule<Args> | SteppingModule<Args>;

/** Undefined when answers of the module have no pages. */
export function pagingOf(module: LayerModule<unknown>): Paging<unknown> | undefined {
  return 'paging' in module ? module.paging : undefined;
}

/** A response whose status fails the layer; names of headers in lower case. */
export interface RefusedAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** A layer could not do its work. `out` is kept if set (for example of a web request whose status was refused). */
export class LayerFailure extends Error {
  /** The answer that was refused: what it says of its time decides on the next attempt. */
  readonly answer?: RefusedAnswer;
  /** Whether the same call may succeed later; left out: the code decides. */
  readonly isPassing?: boolean;

  constructor(
    readonly code: string,
    message: string,
    readonly out?: Output,
    options?: { cause?: unknown; answer?: RefusedAnswer; isPassing?: boolean },
  ) {
    super(message, options);
    this.name = 'LayerFailure';
    if (options?.answer) this.answer = options.answer;
    if (options?.isPassing !== undefined) this.isPassing = options.isPassing;
  }

  /** Of an answer that was refused. */
  get statusCode(): number | undefined {
    const { statusCode } = (this.out ?? {}) as { readonly statusCode?: unknown };
    return typeof statusCode === 'number' ? statusCode : undefined;
  }
}
