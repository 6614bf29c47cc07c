import { publish, RedisNames, type Channels, type Redis } from '@weft/redis';

import type { BusSeal } from './bus-seal.js';

const TAKE_MS = 10_000;

export interface AskedTry {
  /** Only names whose turn it is at the workers; the request itself says whose it is. */
  readonly companyId: string;
  /** The request as text: sealed on its way. */
  readonly request: string;
  /** How long it waits for a worker, in ms; default 10 s. */
  readonly takeMs?: number;
  /** How long a worker may take for the answer, once it has the request. */
  readonly answerMs: number;
  /** Aborted when nobody waits for the answer any more. */
  readonly gone: AbortSignal;
}

/**
 * `no_worker`: no worker runs; `busy`: none took it in time; `unreachable`: Redis is. In these cases nothing was called, and nothing
 * will be. `unanswered`: a worker took it, or may have taken it, and no answer came.
 */
export type AnsweredTry =
  { readonly answer: string } | { readonly none: 'no_worker' | 'busy' | 'unreachable' | 'unanswered' | 'gone' };

/** A request that some worker may take. */
export interface OfferedTry {
  readonly id: string;
  readonly companyId: string;
  /** The request; null when another worker has it, or nobody waits for it any more. */
  take(): Promise<string | null>;
  answer(text: string): Promise<void>;
}

export interface TryListener {
  offered(offer: OfferedTry): void;
  /** Nobody waits for the answer any more. */
  withdrawn(id: string): void;
}

interface Waiting {
  readonly taken: () => void;
  readonly answered: (text: string) => void;
}

/**
 * Requests of the API to any one worker, each with one answer. The request waits in a key that expires, and the worker that takes the key
 * out has it; everything else is published. So a request is taken at most once, and nothing of it stays in Redis.
 */
export class LayerTries {
  private readonly names: RedisNames;
  private readonly waiting = new Map<string, Waiting>();

  /** @param replica id of this process: answers come to a channel of its own */
  constructor(
    private readonly publisher: Redis,
    private readonly subscriber: Channels,
    prefix: string,
    private readonly seal: BusSeal,
    private readonly replica: string,
    private readonly newId: () => string,
  ) {
    this.names = new RedisNames(prefix);
  }

  /** For a process that asks: call it before the first `ask`. Returns the function that stops listening. */
  listen(): () => void {
    const channel = this.names.tryAnswers(this.replica);
    return this.subscriber.subscribe(channel, (message) => {
      const [id = '', sealed] = message.split(' ', 2);
      const waiting = this.waiting.get(id);
      if (sealed === undefined) return waiting?.taken();
      const text = waiting && this.seal.open(`${channel} ${id}`, sealed);
      if (typeof text === 'string') waiting?.answered(text);
    });
  }

  /** Never rejects. */
  async ask(asked: AskedTry): Promise<AnsweredTry> {
    const { companyId, request, answerMs, takeMs = TAKE_MS, gone } = asked;
    if (gone.aborted) return { none: 'gone' };
    if (this.publisher.status !== 'ready' || !this.subscriber.isConnected()) return { none: 'unreachable' };
    const id = this.newId();
    const key = this.names.layerTry(id);
    const { promise: end, resolve } = Promise.withResolvers<AnsweredTry>();
    let timer: NodeJS.Timeout | undefined;
    const waitForAnswer = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => resolve({ none: 'unanswered' }), answerMs);
    };
    // whoever takes the key out has the request: the word that a worker has it may be lost
    const onLate = (): void => {
      const isLeft = this.publisher.del(key).catch(() => 0);
      void isLeft.then((count) => (count === 1 ? resolve({ none: 'busy' }) : waitForAnswer()));
    };
    const leave = (): void => resolve({ none: 'gone' });
    gone.addEventListener('abort', leave, { once: true });
    this.waiting.set(id, { taken: waitForAnswer, answered: (answer) => resolve({ answer }) });
    let isAnswered = false;
    try {
      await this.publisher.set(key, this.seal.seal(key, request), 'PX', 2 * takeMs);
      const offer = JSON.stringify(['offer', id, companyId, this.replica]);
      if ((await publish(this.publisher, this.names.tries, offer)) === 0) return { none: 'no_worker' };
      timer ??= setTimeout(onLate, takeMs);
      const ended = await end;
      isAnswered = 'answer' in ended;
      return ended;
    } catch {
      const isLeft = await this.publisher.del(key).catch(() => 0);
      return { none: isLeft === 1 ? 'unreachable' : 'unanswered' };
    } finally {
      clearTimeout(timer);
      gone.removeEventListener('abort', leave);
      this.waiting.delete(id);
      if (!isAnswered) this.withdraw(id, key);
    }
  }

  /** For a worker. Returns the function that stops listening. */
  serve(listener: TryListener): () => void {
    return this.subscriber.subscribe(this.names.tries, (message) => {
      const [kind, id, companyId, replica] = parsed(message);
      if (kind === 'withdraw' && id !== undefined) listener.withdrawn(id);
      if (kind !== 'offer' || id === undefined || companyId === undefined || replica === undefined) return;
      const channel = this.names.tryAnswers(replica);
      listener.offered({
        ...{ id, companyId },
        take: async () => {
          const key = this.names.layerTry(id);
          const sealed = await this.publisher.getdel(key);
          const request = sealed === null ? null : this.seal.open(key, sealed);
          if (request !== null) await publish(this.publisher, channel, id);
          return request;
        },
        answer: async (text) => {
          await publish(this.publisher, channel, `${id} ${this.seal.seal(`${channel} ${id}`, text)}`);
        },
      });
    });
  }

  private withdraw(id: string, key: string): void {
    this.publisher.del(key).catch(() => undefined); // it expires
    publish(this.publisher, this.names.tries, JSON.stringify(['withdraw', id])).catch(() => undefined); // the call has a time limit
  }
}

function parsed(message: string): (string | undefined)[] {
  try {
    return (JSON.parse(message) as unknown[]).map((part) => (typeof part === 'string' ? part : undefined));
  } catch {
    return []; // not our message: another program may publish on this server
  }
}
