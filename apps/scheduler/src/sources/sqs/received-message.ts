/** What SQS gives, as messages of a source. Nothing of an answer is taken for granted. */
import type { Texts } from '@weft/runs';
import type { SqsAnswer } from './sqs-client.js';

export interface ReceivedMessage {
  readonly id: string;
  /** Deletes it, for as long as it is not received by somebody else. */
  readonly receipt: string;
  readonly body: string;
  readonly headers: Texts;
  /** `key` is the group of a FIFO queue. */
  readonly about: Readonly<Record<string, string>>;
  readonly at: Date | null;
}

const MAX_ATTRIBUTES = 10;
const ID = /^[\w-]{1,100}$/;

export function messagesIn({ Messages: given }: SqsAnswer): ReceivedMessage[] {
  if (!Array.isArray(given)) return [];
  return given.flatMap((each) => {
    const { MessageId: id, ReceiptHandle: receipt, Body: body, Attributes, MessageAttributes } = fieldsOf(each);
    if (typeof id !== 'string' || !ID.test(id) || typeof receipt !== 'string' || typeof body !== 'string') return [];
    const { MessageGroupId: group, ApproximateReceiveCount: receives, SentTimestamp: sent } = fieldsOf(Attributes);
    const at = new Date(Number(sent ?? Number.NaN));
    const texts = { messageId: id, key: group, receives };
    return {
      ...{ id, receipt, body, headers: headersIn(MessageAttributes) },
      about: {
        ...Object.fromEntries(
          Object.entries(texts).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
        ),
        ...(!Number.isNaN(at.getTime()) && { timestamp: at.toISOString() }),
      },
      at: Number.isNaN(at.getTime()) ? null : at,
    };
  });
}

function headersIn(attributes: unknown): Texts {
  const headers = Object.entries(fieldsOf(attributes)).slice(0, MAX_ATTRIBUTES);
  return Object.fromEntries(
    headers.flatMap(([name, attribute]) => {
      const { StringValue: text, BinaryValue: binary } = fieldsOf(attribute);
      const value = text ?? binary;
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' ? (value as Readonly<Record<string, unknown>>) : {};
}
