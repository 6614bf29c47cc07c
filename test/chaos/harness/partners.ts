/** Systems of others that the product reads from, in which something can be put while the product is struck. */
import { cleanUpWith, type S3Server } from '@weft/testing';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** For so long a message that was given is hidden, whatever the reader asks for: it is given again to somebody else, and early. */
const HIDDEN_SECONDS = 2;
const IN_ONE_SEND = 10;

async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUpWith(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A list and a feed of numbers. */
export async function listedOrders() {
  const numbers: number[] = [];
  const url = await listen((request, response) => {
    if (request.url === '/feed') {
      const items = numbers.map((n) => `<item><guid>${n}</guid><title>${n}</title></item>`);
      return response.end(`<rss><channel>${items.toReversed().join('')}</channel></rss>`);
    }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(numbers));
  });
  return { url, push: (...more: readonly number[]) => numbers.push(...more) };
}

interface Received {
  readonly Messages?: readonly { readonly MessageId: string }[];
}

/** A queue of moto that gives its messages again after a short time. Moto checks no signatures any more: what is asked for is changed. */
export async function forgetfulQueue({ url: moto }: S3Server) {
  await fetch(`${moto}/moto-api/reset-auth`, { method: 'POST', body: 'inf' });
  const given = new Set<string>();
  let again = 0;
  const ask = async (target: string, body: string): Promise<Response> => {
    const { Authorization } = UNSIGNED;
    const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': target, Authorization };
    return fetch(moto, { method: 'POST', headers, body });
  };
  const call = async (action: string, body: object): Promise<unknown> =>
    (await ask(`AmazonSQS.${action}`, JSON.stringify(body))).json();
  const url = await listen(async (request, response) => {
    const asked = (await text(request)).replace(
      /"VisibilityTimeout":[1-9]\d*/g,
      `"VisibilityTimeout":${HIDDEN_SECONDS}`,
    );
    const answer = await ask(String(request.headers['x-amz-target']), asked);
    const body = await answer.text();
    const { Messages = [] } = answer.ok && body !== '' ? (JSON.parse(body) as Received) : {};
    for (const { MessageId } of Messages) {
      if (given.has(MessageId)) again += 1;
      given.add(MessageId);
    }
    response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' }).end(body);
  });
  const { QueueUrl } = (await call('CreateQueue', { QueueName: 'orders' })) as { readonly QueueUrl: string };
  return {
    url,
    queueUrl: `${url}${new URL(QueueUrl).pathname}`,
    /** How often it gave a message again. */
    givenAgain: () => again,
    async put(numbers: readonly number[]): Promise<void> {
      for (let from = 0; from < numbers.length; from += IN_ONE_SEND) {
        const part = numbers.slice(from, from + IN_ONE_SEND);
        const Entries = part.map((n) => ({ Id: `n${n}`, MessageBody: JSON.stringify({ n }) }));
        await call('SendMessageBatch', { QueueUrl, Entries });
      }
    },
    /** Those that are hidden, too. */
    async length(): Promise<number> {
      const answer = await call('GetQueueAttributes', { QueueUrl, AttributeNames: LENGTHS });
      const { Attributes = {} } = answer as { readonly Attributes?: Readonly<Record<string, string>> };
      return LENGTHS.reduce((sum, name) => sum + Number(Attributes[name]), 0);
    },
  };
}

const LENGTHS = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'];
const UNSIGNED = {
  Authorization:
    'AWS4-HMAC-SHA256 Credential=x/20200101/eu-central-1/sqs/aws4_request, SignedHeaders=host, Signature=x',
};
