/**
 * A JSON call to the address of a link, as `message` and `ai-chat` make it: failures contain neither the address nor
 * the secret.
 */
import { EgressError, type EgressResponse } from '@weft/egress';
import { LayerFailure, type LayerContext } from '../layer-module.js';

const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

export interface LinkedRequest {
  readonly url: string;
  /** Sent as `Authorization: Bearer`. */
  readonly bearer?: string;
  readonly body: unknown;
}

/** @throws LayerFailure with the client's codes, and `bad_status` for an answer that is not a success */
export async function postJson({ url, bearer, body }: LinkedRequest, context: LayerContext): Promise<EgressResponse> {
  try {
    const response = await context.http.request({
      method: 'POST',
      url,
      body: JSON.stringify(body),
      timeoutMs: context.timeoutMs,
      maxRedirects: 0,
      headers: {
        'Content-Type': 'application/json',
        'Idempotency-Key': context.idempotencyKey,
        ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }),
      },
      maxResponseBytes: Math.min(MAX_ANSWER_BYTES, context.maxOutputBytes),
      signal: context.signal,
    });
    if (response.statusCode < 200 || response.statusCode > 299) {
      const message = `${new URL(response.url).host} answered ${response.statusCode}`;
      throw new LayerFailure('bad_status', message, undefined, { answer: response });
    }
    return response;
  } catch (error) {
    if (error instanceof EgressError) throw new LayerFailure(error.code, error.message, undefined, { cause: error });
    throw error;
  }
}
