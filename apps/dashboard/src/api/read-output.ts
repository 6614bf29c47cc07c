import { sessionFetch } from './client';
import { toRefusal, unreachable } from './refusal';

/** For an operation whose answer is larger than its type says, or is not JSON by type: the path as it is. @throws Refusal */
export async function readJson<T>(path: string): Promise<T> {
  const response = await sessionFetch(new Request(path, { headers: { accept: 'application/json' } })).catch(() => {
    throw unreachable();
  });
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok) throw await toRefusal(response, body);
  return body as T;
}

/** The beginning of an answer, however large it is: the rest is not fetched. @throws Refusal */
export async function readStart(path: string, maxBytes: number): Promise<string> {
  const response = await sessionFetch(new Request(path, { headers: { accept: 'application/json' } })).catch(() => {
    throw unreachable();
  });
  if (!response.ok) throw await toRefusal(response, await response.json().catch(() => null));
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let bytes = 0; reader && bytes < maxBytes;) {
    const { done, value } = await reader.read();
    if (done) break;
    // a piece may be much larger than what is wanted
    const wanted = value.subarray(0, maxBytes - bytes);
    bytes += wanted.byteLength;
    text += decoder.decode(wanted, { stream: true });
  }
  await reader?.cancel();
  return text;
}
