import { EgressError, type EgressClient, type EgressResponse } from '@weft/egress';
import type { DeliveryAttempt, DeliveryDocument } from '@weft/records';
import { judgeAnswer, type JudgedAnswer } from './judge-answer.js';
import type { Signer } from './signing.js';

/** Standard Webhooks asks for 15 to 30 s. */
const TIMEOUT_MS = 20_000;
const MAX_ANSWER_BYTES = 2_048;
/** What is not read of an answer is not received, either. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;
const NO_ANSWER: JudgedAnswer = { verdict: 'retry', retryAfterMs: null, isOverloaded: false };

export interface AttemptOutcome extends JudgedAnswer {
  readonly attempt: DeliveryAttempt;
}

export interface AttemptDependencies {
  readonly egress: Pick<EgressClient, 'request'>;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  /** The receiver compares it with its own clock, which is that of the world: not MongoDB's. */
  readonly wallNow: () => number;
  /** Asked when the connection is there; default: it may. */
  readonly mayBeSent?: () => boolean;
}

/** Calls the receiver once. Never rejects: whatever goes wrong is what became of the attempt. */
export async function attemptDelivery(
  url: string,
  { _id: id, body: text }: Pick<DeliveryDocument, '_id' | 'body'>,
  signer: Signer,
  { egress, serverNow, wallNow, mayBeSent }: AttemptDependencies,
): Promise<AttemptOutcome> {
  const at = new Date(serverNow());
  const startedAt = performance.now();
  const took = () => Math.round(performance.now() - startedAt);
  try {
    const body = Buffer.from(text);
    const timestamp = Math.floor(wallNow() / 1_000);
    const response = await egress.request({
      method: 'POST',
      url,
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signer.sign({ id, timestamp, body }),
        'user-agent': 'weft-webhooks/1',
      },
      body,
      timeoutMs: TIMEOUT_MS,
      maxRedirects: 0,
      maxResponseBytes: MAX_BODY_BYTES,
      streamPast: MAX_ANSWER_BYTES,
      ...(mayBeSent && { mayBeSent }),
    });
    const answer = await beginningOf(response);
    const judged = judgeAnswer(response, wallNow());
    const error = judged.verdict === 'delivered' ? null : 'bad_status';
    return { ...judged, attempt: { at, status: response.statusCode, duration_ms: took(), error, answer } };
  } catch (error) {
    const code = error instanceof EgressError ? error.code : 'internal';
    const why = error instanceof EgressError ? `${code}: ${error.message}` : code;
    return { ...NO_ANSWER, attempt: { at, status: null, duration_ms: took(), error: why, answer: null } };
  }
}

async function beginningOf({ body, stream }: EgressResponse): Promise<string> {
  if (!stream) return textOf(body);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      chunks.push(chunk);
      bytes += chunk.byteLength;
      if (bytes >= MAX_ANSWER_BYTES) break;
    }
  } catch {
    // the status came, and with it the verdict; the rest of the body did not
  }
  return textOf(Buffer.concat(chunks));
}

/** Without NUL, which a text in MongoDB may have and many tools do not take. */
function textOf(bytes: Buffer): string {
  return bytes.subarray(0, MAX_ANSWER_BYTES).toString('utf8').replaceAll('\0', '');
}
