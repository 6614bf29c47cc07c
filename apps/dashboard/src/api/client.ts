import { withExactJson, type paths } from '@weft/client';
import createClient from 'openapi-fetch';
import { sessionIsBack, signInAgain } from '../session/expiry';
import { toRefusal, unreachable } from './refusal';

/**
 * The API, typed from its own description. A request that finds the session expired waits until the same person has signed
 * in again, and is then sent once more: nothing that was typed is lost.
 */
export const api = createClient<paths>({ baseUrl: '', fetch: sessionFetch });

/** The same without that: for signing in, and for asking who is signed in. */
export const plainApi = createClient<paths>({ baseUrl: '' });

export async function sessionFetch(request: Request): Promise<Response> {
  await sessionIsBack();
  const again = request.clone();
  const response = await fetch(request);
  if (response.status !== 401) return withExactJson(response);
  await signInAgain();
  return withExactJson(await fetch(again));
}

interface Outcome<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/** What was asked for. @throws Refusal */
export async function answerOf<T>(call: Promise<Outcome<T>>): Promise<T> {
  const { data, error, response } = await call.catch(() => {
    throw unreachable();
  });
  if (!response.ok) throw await toRefusal(response, error);
  return data as T;
}

/** For an operation whose answer is larger than its type says, or is not JSON by type: the path as it is. @throws Refusal */
export async function readJson<T>(path: string): Promise<T> {
  const response = await sessionFetch(new Request(path, { headers: { accept: 'application/json' } })).catch(() => {
    throw unreachable();
  });
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok) throw await toRefusal(response, body);
  return body as T;
}
