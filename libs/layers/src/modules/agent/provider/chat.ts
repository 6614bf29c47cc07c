/** Asks a model, and reads its answer as it arrives. */
import type { EgressResponse } from '@weft/egress';
import { createParser } from 'eventsource-parser';
import { ofEgress } from '../../../call/failure.js';
import { openAnswer, type Refusal } from '../../../call/linked-request.js';
import { withoutSecret } from '../../../call/without-secret.js';
import { LayerFailure } from '../../../layer-module.js';
import { saidIn } from '../../ai-chat/said-in.js';
import { mediaTypeOf } from '../../web-request/read-body.js';
import type { AgentArgs } from '../shape.js';
import { anthropic } from './anthropic.js';
import { AnswerBuilder } from './answer-builder.js';
import type { Dialect } from './dialect.js';
import { openai } from './openai.js';
import type { Chat, ChatAnswer, ChatContext, ChatRequest, ChatUsage } from './port.js';
import { Unshown } from './unshown.js';

/** Of an answer with everything around its texts. */
const MOST_BYTES = 32 * 1024 * 1024;
/** Of one event, in characters. */
const MOST_EVENT = 2 * 1024 * 1024;
const IDLE_MS = 60_000;
/** Where a provider does not say its tokens. */
const CHARS_OF_TOKEN = 4;
/** How providers say that a conversation is too long. */
const TOO_LONG = /context[ _]length|context window|prompt is too long|maximum context|too many (?:input )?tokens/i;

const DIALECTS: Readonly<Record<AgentArgs['provider'], Dialect>> = { openai, anthropic };

export function chatOf(provider: AgentArgs['provider']): Chat {
  const dialect = DIALECTS[provider];
  return async (request, onDelta, context) => {
    const idle = new Idle(context);
    try {
      return await ask(dialect, request, onDelta, { ...context, signal: idle.signal }, idle);
    } catch (error) {
      context.signal.throwIfAborted();
      throw idle.failure(error) ?? ofEgress(error);
    } finally {
      idle.end();
    }
  };
}

async function ask(
  dialect: Dialect,
  request: ChatRequest,
  onDelta: (text: string) => void,
  context: ChatContext,
  idle: Idle,
): Promise<ChatAnswer> {
  const { link } = context;
  const body = dialect.bodyOf(request);
  const linked = { url: dialect.urlOf(link), link, headers: { Accept: 'text/event-stream', ...dialect.headers }, body };
  const { response, shown } = await openAnswer({ ...linked, refusal }, context, { most: MOST_BYTES, streamPast: 0 });
  const { host } = new URL(response.url);
  idle.heard(host);
  const unshown = new Unshown(shown, onDelta);
  const answer = new AnswerBuilder(host, shown, (text) => unshown.add(text));
  if (mediaTypeOf(response.headers['content-type']) !== 'text/event-stream')
    throw answer.invalid('is not a stream of events: its API has to speak what the layer says in provider');
  const isWhole = await readEvents(response, answer, dialect, idle);
  if (!isWhole && !(dialect.mayEndEarly && answer.stop !== null))
    throw new LayerFailure('connect_failed', `${host} ended its answer in the middle.`);
  return answered(answer, JSON.stringify(body).length, shown);
}

/** @returns whether the event that ends the answer has arrived */
async function readEvents(
  { stream, body }: EgressResponse,
  answer: AnswerBuilder,
  dialect: Dialect,
  idle: Idle,
): Promise<boolean> {
  let isWhole = false;
  const parser = createParser({
    maxBufferSize: MOST_EVENT,
    onEvent: ({ data }) => void (isWhole ||= dialect.read(data, answer)),
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded')
        throw answer.invalid(`has an event of more than ${MOST_EVENT} characters`);
    },
  });
  const decoder = new TextDecoder();
  for await (const chunk of stream ?? [body]) {
    idle.heard();
    // what follows the end is read, so that the connection can be used again
    if (!isWhole) parser.feed(decoder.decode(chunk, { stream: true }));
  }
  return isWhole;
}

/** @throws LayerFailure */
function answered(answer: AnswerBuilder, askedChars: number, shown: readonly string[]): ChatAnswer {
  const { calls, stop } = answer;
  if (stop === null) throw answer.invalid('does not say why it stopped');
  if (stop === 'calls' && calls.length === 0) throw answer.invalid('stopped for calls of tools, and has none');
  const message = {
    role: 'assistant' as const,
    text: withoutSecret(answer.text, shown),
    calls: calls.map(({ id, name, arguments: given }) => ({
      id: withoutSecret(id, shown),
      name: withoutSecret(name, shown),
      arguments: withoutSecret(given, shown),
    })),
  };
  const saidChars = message.text.length + calls.reduce((sum, call) => sum + call.arguments.length, 0);
  const usage: ChatUsage = {
    tokensIn: answer.tokensIn ?? Math.ceil(askedChars / CHARS_OF_TOKEN),
    tokensOut: answer.tokensOut ?? Math.ceil(saidChars / CHARS_OF_TOKEN),
    cost: answer.cost,
  };
  // some servers say "stop" for calls, too
  return { message, usage, stop: stop === 'end' && calls.length > 0 ? 'calls' : stop };
}

function refusal(begin: string): Refusal | null {
  const found = saidIn(begin);
  return found && TOO_LONG.test(`${found.said} ${begin.slice(0, 1_000)}`) ? { ...found, code: 'context_full' } : found;
}

/** Ends a call for which nothing arrives. */
class Idle {
  readonly signal: AbortSignal;
  private readonly ended = new AbortController();
  private readonly ms: number;
  private readonly timer: NodeJS.Timeout;
  private host = 'the model';

  constructor({ signal, idleMs = IDLE_MS }: Pick<ChatContext, 'signal' | 'idleMs'>) {
    this.ms = idleMs;
    this.signal = AbortSignal.any([signal, this.ended.signal]);
    this.timer = setTimeout(() => this.ended.abort(), idleMs);
  }

  heard(host?: string): void {
    this.host = host ?? this.host;
    this.timer.refresh();
  }

  /** What the error is when it follows from the end; undefined: something else is its reason. */
  failure(cause: unknown): LayerFailure | undefined {
    if (!this.ended.signal.aborted) return undefined;
    return new LayerFailure('timeout', `${this.host} has sent nothing for ${this.ms / 1_000} s.`, undefined, { cause });
  }

  end(): void {
    clearTimeout(this.timer);
  }
}
