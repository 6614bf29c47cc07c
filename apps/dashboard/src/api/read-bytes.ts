import { sessionFetch } from './client';
import { toRefusal, unreachable } from './refusal';

/** The bytes of a file. @throws Refusal */
export async function readBytes(path: string): Promise<ArrayBuffer> {
  const response = await sessionFetch(new Request(path)).catch(() => {
    throw unreachable();
  });
  if (!response.ok) throw await toRefusal(response, await response.json().catch(() => null));
  return response.arrayBuffer();
}
