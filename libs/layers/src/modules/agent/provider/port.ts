/** What an agent asks of a model, in one form for every provider. */
import type { JsonSchema } from '@weft/json-schema';
import type { Connection, LayerContext } from '../../../layer-module.js';

/** A call that the model asks for. */
export interface ModelCall {
  /** As the provider names it: the result is sent with it. */
  readonly id: string;
  readonly name: string;
  /** As the model wrote them: JSON, unless it wrote something else. */
  readonly arguments: string;
}

export type ChatMessage =
  | { readonly role: 'user'; readonly text: string }
  | AssistantMessage
  /** Results of all calls of the answer before, in their order. */
  | { readonly role: 'tools'; readonly results: readonly CallResult[] };

export interface AssistantMessage {
  readonly role: 'assistant';
  readonly text: string;
  readonly calls: readonly ModelCall[];
}

export interface CallResult {
  readonly callId: string;
  readonly text: string;
  /** The call was refused or has failed. */
  readonly isError: boolean;
}

export interface ChatTool {
  readonly name: string;
  readonly description: string;
  /** With type object. */
  readonly schema: JsonSchema;
}

export interface ChatRequest {
  readonly model: string;
  readonly instructions: string;
  readonly messages: readonly ChatMessage[];
  /** Those that the messages name stay listed where `mayCall` is false. */
  readonly tools: readonly ChatTool[];
  /** Whether the answer may ask for calls. */
  readonly mayCall: boolean;
  readonly temperature?: number | undefined;
  /** The most tokens of the answer. */
  readonly maxTokens: number;
}

export interface ChatUsage {
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** Dollars, if the provider says it. */
  readonly cost: number | null;
}

/**
 * Why the model stopped: `end` it has said what it had to say, `calls` it waits for results, `length` the answer reached its most
 * tokens, `refused` the provider or the model will not answer, `context_full` the conversation leaves no room for an answer.
 */
export type ChatStop = 'end' | 'calls' | 'length' | 'refused' | 'context_full';

export interface ChatAnswer {
  readonly message: AssistantMessage;
  readonly usage: ChatUsage;
  readonly stop: ChatStop;
}

/** A piece of the text of the answer, as it arrives. */
export type OnDelta = (text: string) => void;

export type ChatContext = Pick<LayerContext, 'http' | 'signal' | 'timeoutMs' | 'idempotencyKey'> & {
  readonly link: Connection;
  /** How long nothing may arrive; default: a minute. */
  readonly idleMs?: number;
};

/**
 * Asks once, and is not repeated by itself. Secrets of the link are masked in what it gives.
 *
 * @throws LayerFailure the codes of the egress client (`timeout` also when nothing has arrived for a minute); `bad_status` with the answer,
 *   whose Retry-After the rules of `retry` read; `context_full`; `invalid_output` for what is not an answer of the protocol;
 *   `output_too_large`
 */
export type Chat = (request: ChatRequest, onDelta: OnDelta, context: ChatContext) => Promise<ChatAnswer>;
