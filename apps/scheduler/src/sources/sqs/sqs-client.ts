/** Calls of Amazon SQS in its JSON protocol (docs.aws.amazon.com, "Amazon SQS API Reference"). A peer may be anybody's. */
import { amazonAddress, EgressError, type EgressClient } from '@weft/egress';
import { parseJson } from '@weft/kernel';
import { LayerFailure, withCredential, type Connection } from '@weft/layers';
import { SourceFault } from '../source.js';

/** Ten messages of a megabyte, which JSON may write as six. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const CODE = /^[\w.#]{1,200}$/;

export interface SqsCall {
  /** As the API names it: `ReceiveMessage`. */
  readonly action: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export type SqsAnswer = Readonly<Record<string, unknown>>;

/**
 * @param link its keys sign the call
 * @throws SourceFault
 */
export async function callSqs(
  http: EgressClient,
  link: Connection,
  queueUrl: string,
  call: SqsCall,
): Promise<SqsAnswer> {
  const { action, body, timeoutMs, signal } = call;
  const url = addressOf(link, queueUrl);
  const { host } = new URL(url);
  const headers = new Map([
    ['content-type', ['Content-Type', 'application/x-amz-json-1.0']],
    ['x-amz-target', ['X-Amz-Target', `AmazonSQS.${action}`]],
  ] as const);
  const text = JSON.stringify({ QueueUrl: queueUrl, ...body });
  try {
    const signed = withCredential(link, { method: 'POST', url, headers, body: text });
    const { statusCode, body: answer } = await http.request({
      ...{ method: 'POST', url: signed.url, headers: Object.fromEntries(signed.headers.values()), body: text },
      ...{ timeoutMs, maxRedirects: 0, maxResponseBytes: MAX_ANSWER_BYTES, signal },
    });
    const said = readJson(answer);
    if (statusCode !== 200) throw faultOf(said ?? {}, host, statusCode);
    if (said) return said;
    throw new SourceFault('invalid_output', `${host} does not answer as SQS does: is the address of the queue right?`);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof EgressError || error instanceof LayerFailure) {
      throw new SourceFault(error.code, `${error.message}.`.replace(/\.\.$/, '.'), { cause: error });
    }
    throw error;
  }
}

/** The keys are shown where the link says, or at Amazon, and nowhere else. @throws SourceFault */
function addressOf({ kind, endpoint, settings }: Connection, queueUrl: string): string {
  if (kind !== 'aws_sigv4') throw unusable('a queue asks for requests that are signed: its kind is not aws_sigv4');
  const region = settings?.region ?? '';
  const at = endpoint ?? amazonAddress('sqs', region);
  if (at === null || !URL.canParse(at)) throw unusable('its region is not one of Amazon, and it has no endpoint');
  const { origin } = new URL(at);
  if (URL.parse(queueUrl)?.origin === origin) return `${origin}/`;
  const mend = 'give the queue of the region and the account of the link';
  throw new SourceFault(
    'destination_blocked',
    `The keys of the link are shown to ${origin} alone, and the queue is elsewhere: ${mend}.`,
  );
}

/** Null: it is not an object. */
function readJson(bytes: Buffer): SqsAnswer | null {
  try {
    const value = bytes.length === 0 ? {} : parseJson(bytes);
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as SqsAnswer) : null;
  } catch {
    return null;
  }
}

const HINTS: Readonly<Record<string, string>> = {
  QueueDoesNotExist: 'there is no such queue',
  NonExistentQueue: 'there is no such queue',
  AccessDenied:
    'these keys may not do this: sqs:ReceiveMessage, sqs:DeleteMessage and sqs:ChangeMessageVisibility are needed',
  AccessDeniedException:
    'these keys may not do this: sqs:ReceiveMessage, sqs:DeleteMessage and sqs:ChangeMessageVisibility are needed',
  InvalidClientTokenId: 'it does not know this access key id',
  UnrecognizedClientException: 'it does not know this access key id',
  InvalidSignatureException: 'the secret access key is another one, or the region or service of the link is wrong',
  SignatureDoesNotMatch: 'the secret access key is another one, or the region or service of the link is wrong',
};

function faultOf({ __type }: SqsAnswer, host: string, statusCode: number): SourceFault {
  const named = typeof __type === 'string' && CODE.test(__type) ? (__type.split(/[#.]/).at(-1) ?? '') : '';
  const hint = Object.hasOwn(HINTS, named) ? `: ${HINTS[named]}` : '';
  const code = named === '' ? '' : ` (${named})`;
  return new SourceFault('bad_status', `${host} answered ${statusCode}${code}${hint}.`);
}

function unusable(why: string): SourceFault {
  return new SourceFault('integration_unusable', `The link of the source cannot be used: ${why}.`);
}
