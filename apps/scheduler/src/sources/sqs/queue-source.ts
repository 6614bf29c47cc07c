import { digestOf, readListCursor, withTaken, writeListCursor } from '../poll/list-cursor.js';
import { SourceFault, type Source, type SourceBatch, type SourceMessage } from '../source.js';
import { messagesIn, type ReceivedMessage } from './received-message.js';
import type { SqsAnswer, SqsCall } from './sqs-client.js';

export type CallQueue = (
  action: SqsCall['action'],
  body: SqsCall['body'],
  limits: Pick<SqsCall, 'timeoutMs' | 'signal'>,
) => Promise<SqsAnswer>;

/** The only one. */
export const SHARD = 'queue';
const WAIT_SECONDS = 10;
const TIMEOUT_MS = 30_000;
/** For how long nobody else is given what was received; it is extended while plays wait for room. */
const HIDDEN_SECONDS = 60;
const EXTEND_EVERY_MS = 20_000;
/** Of one call. */
const MOST_RECEIVED = 10;
/** Calls at once, when there is more than one call gives. */
const MORE_CALLS = 9;
const RECEIVE = {
  MaxNumberOfMessages: MOST_RECEIVED,
  VisibilityTimeout: HIDDEN_SECONDS,
  MessageSystemAttributeNames: ['MessageGroupId', 'SentTimestamp', 'ApproximateReceiveCount'],
  MessageAttributeNames: ['All'],
};
const COUNT_EVERY_MS = 15_000;
const LENGTH = 'ApproximateNumberOfMessages';
/** Of messages that are deleted: one of them comes again only where the deletion failed. */
const REMEMBERED = 1_000;

/** A queue of SQS. A message is deleted when its play is stored, and given again where that failed: its id is remembered. */
export class QueueSource implements Source {
  readonly begins: ReadonlyMap<string, string>;
  /** By message id: what was given and is not deleted yet. */
  private readonly held = new Map<string, string>();
  private readonly closed = new AbortController();
  private waiting: number | null = null;
  /** Not before this monotone time. */
  private countMs = 0;
  private extension: Promise<void> = Promise.resolve();
  private readonly timer: NodeJS.Timeout;
  /** Digests of the ids of accepted messages, the last at the end. */
  private taken: readonly string[];

  constructor(
    private readonly call: CallQueue,
    stored: string | undefined,
    private readonly onFault: (error: unknown) => void,
  ) {
    this.taken = readListCursor(stored ?? '').seen;
    this.begins = stored === undefined ? new Map([[SHARD, '']]) : new Map();
    this.timer = setInterval(() => (this.extension = this.extend().catch(this.onFault)), EXTEND_EVERY_MS);
  }

  async next(signal: AbortSignal): Promise<SourceBatch | null> {
    const received = await this.receive(WAIT_SECONDS, signal);
    if (received.length === MOST_RECEIVED) {
      const more = await Promise.all(Array.from({ length: MORE_CALLS }, () => this.receive(0, signal)));
      received.push(...more.flat());
    }
    for (const { id, receipt } of received) this.held.set(id, receipt);
    const known = new Set(this.taken);
    const isKnown = ({ id }: ReceivedMessage) => known.has(digestOf(id));
    await this.forget(received.filter(isKnown).map(({ id }) => id));
    const fresh = [...new Map(received.map((each) => [each.id, each])).values()].filter((each) => !isKnown(each));
    await this.count(received.length, signal);
    if (fresh.length === 0) return null;
    const messages = fresh.map((each, i): SourceMessage => this.messageOf(each, fresh.slice(0, i + 1)));
    return { shard: SHARD, messages, next: this.cursorAfter(fresh) };
  }

  async accepted({ messages }: SourceBatch): Promise<void> {
    const ids = messages.map(({ id }) => id);
    this.taken = this.takenWith(ids);
    await this.forget(ids);
  }

  lag(): number | null {
    return this.waiting;
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.extension;
    // what is not deleted is given again at once, to whoever reads then
    const left = [...this.held.values()];
    this.held.clear();
    await this.inTens('ChangeMessageVisibilityBatch', left, { VisibilityTimeout: 0 }).catch(this.onFault);
    this.closed.abort();
  }

  private async receive(seconds: number, signal: AbortSignal): Promise<ReceivedMessage[]> {
    const limits = { timeoutMs: TIMEOUT_MS, signal };
    return messagesIn(await this.call('ReceiveMessage', { ...RECEIVE, WaitTimeSeconds: seconds }, limits));
  }

  private messageOf(
    { id, body, headers, about, at }: ReceivedMessage,
    upTo: readonly ReceivedMessage[],
  ): SourceMessage {
    const after = () => this.cursorAfter(upTo);
    return {
      id,
      get next() {
        return after();
      },
      ...{ bytes: Buffer.from(body), contentType: null, headers, about, at },
    };
  }

  private takenWith(ids: readonly string[]): readonly string[] {
    return withTaken({ cursor: null, seen: this.taken }, ids.map(digestOf)).seen.slice(-REMEMBERED);
  }

  private cursorAfter(messages: readonly ReceivedMessage[]): string {
    return writeListCursor({ cursor: null, seen: this.takenWith(messages.map(({ id }) => id)) });
  }

  private async forget(ids: readonly string[]): Promise<void> {
    const receipts = ids.flatMap((id) => this.held.get(id) ?? []);
    await this.inTens('DeleteMessageBatch', receipts, {});
    for (const id of ids) this.held.delete(id);
  }

  /** While plays wait for room, nobody else is given their messages. */
  private extend(): Promise<void> {
    return this.inTens('ChangeMessageVisibilityBatch', [...this.held.values()], { VisibilityTimeout: HIDDEN_SECONDS });
  }

  private async inTens(
    action: 'DeleteMessageBatch' | 'ChangeMessageVisibilityBatch',
    receipts: readonly string[],
    more: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const limits = { timeoutMs: TIMEOUT_MS, signal: this.closed.signal };
    for (let from = 0; from < receipts.length; from += MOST_RECEIVED) {
      const part = receipts.slice(from, from + MOST_RECEIVED);
      const Entries = part.map((ReceiptHandle, i) => ({ Id: String(i), ReceiptHandle, ...more }));
      await this.call(action, { Entries }, limits);
    }
  }

  /** The queue's own estimate of its length, where the keys may ask for it. */
  private async count(received: number, signal: AbortSignal): Promise<void> {
    if (received === 0) this.waiting = 0;
    if (received === 0 || performance.now() < this.countMs) return;
    this.countMs = performance.now() + COUNT_EVERY_MS;
    const limits = { timeoutMs: TIMEOUT_MS, signal };
    const answer = await this.call('GetQueueAttributes', { AttributeNames: [LENGTH] }, limits).catch(
      (error: unknown) => {
        if (error instanceof SourceFault) return {};
        throw error;
      },
    );
    const { Attributes } = answer as { readonly Attributes?: Readonly<Record<string, unknown>> };
    const count = Number(Attributes?.[LENGTH] ?? Number.NaN);
    this.waiting = Number.isInteger(count) && count >= 0 ? count : null;
  }
}
