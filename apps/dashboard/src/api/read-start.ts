import { sessionFetch } from './client';
import { toRefusal, unreachable } from './refusal';

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
    bytes += value.byteLength;
    text += decoder.decode(value, { stream: true });
  }
  await reader?.cancel();
  return text;
}
