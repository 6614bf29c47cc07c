/** A provider of language models for specs, of both dialects: it refuses what a real one refuses, and answers as a spec says. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import {
  anthropicBroken,
  anthropicError,
  anthropicEvents,
  anthropicFault,
  anthropicWhole,
  askedOfAnthropic,
} from './anthropic-dialect.js';
import { askedOfOpenai, openaiBroken, openaiError, openaiEvents, openaiFault, openaiWhole } from './openai-dialect.js';
import type { AskedModel, ScriptedAnswer } from './scripted.js';

export interface ModelRequest extends AskedModel {
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

type Answer = ScriptedAnswer | readonly ScriptedAnswer[];

export interface ModelProvider {
  /** Base of both APIs: with `/chat/completions`, and with `/messages`. */
  readonly url: string;
  /** In order of arrival, also those that were refused. */
  readonly requests: readonly ModelRequest[];
  /** Sets the answers from now on: one for each request, of a list the one of its turn. Default: the text "Done." */
  answerWith(answer: Answer | ((request: ModelRequest) => ScriptedAnswer | Promise<ScriptedAnswer>)): void;
  close(): Promise<void>;
}

const DIALECTS = {
  openai: {
    ...{ faultOf: openaiFault, asked: askedOfOpenai, events: openaiEvents, whole: openaiWhole },
    ...{ error: openaiError, broken: openaiBroken },
  },
  anthropic: {
    ...{ faultOf: anthropicFault, asked: askedOfAnthropic, events: anthropicEvents, whole: anthropicWhole },
    ...{ error: anthropicError, broken: anthropicBroken },
  },
} as const;

const PATHS: Readonly<Record<string, keyof typeof DIALECTS>> = {
  '/v1/chat/completions': 'openai',
  '/v1/messages': 'anthropic',
};

export async function modelProvider(port = 0): Promise<ModelProvider> {
  const requests: ModelRequest[] = [];
  let script: (request: ModelRequest) => ScriptedAnswer | Promise<ScriptedAnswer> = () => ({ text: 'Done.' });

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const name = PATHS[new URL(request.url ?? '', 'http://any').pathname];
    if (name === undefined || request.method !== 'POST') return void response.writeHead(404).end();
    const dialect = DIALECTS[name];
    const body = JSON.parse(await textOf(request)) as Readonly<Record<string, unknown>>;
    const { headers } = request;
    const refuse = (status: number, message: string, more: Readonly<Record<string, string>> = {}) =>
      void response
        .writeHead(status, { 'content-type': 'application/json', ...more })
        .end(JSON.stringify(dialect.error(status, message)));
    const asked: ModelRequest = { ...dialect.asked(body), headers, body };
    requests.push(asked);
    const id = `answer_${requests.length}`;
    if (!headers.authorization && !headers['x-api-key']) return refuse(401, 'You did not provide an API key.');
    if (name === 'anthropic' && !headers['anthropic-version'])
      return refuse(400, 'anthropic-version: header is required');
    const fault = dialect.faultOf(body);
    if (fault !== null) return refuse(400, fault);
    const answer = await script(asked);
    if (answer.refusal) return refuse(answer.refusal.status, answer.refusal.message, answer.refusal.headers);
    if (body.stream !== true) {
      response.writeHead(200, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify(dialect.whole(id, body, answer)));
    }
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
    const events = answer.raw === undefined ? dialect.events(id, body, answer) : [answer.raw];
    for (const [i, event] of events.entries()) {
      if (i === answer.cutAfter) return void response.destroy();
      if (i === answer.hangAfter) return;
      if (i === answer.breakAfter) return void response.end(dialect.broken('Overloaded'));
      if (answer.everyMs !== undefined) await pause(answer.everyMs);
      await new Promise<void>((written) => void response.write(event, () => written()));
    }
    response.end();
  };

  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    answerWith: (answer) => {
      script =
        typeof answer === 'function'
          ? answer
          : ({ turn }) => (isList(answer) ? (answer[turn] ?? { text: 'Done.' }) : answer);
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function isList(answer: Answer): answer is readonly ScriptedAnswer[] {
  return Array.isArray(answer);
}
