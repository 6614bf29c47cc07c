import { request, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface RawRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The problem's code, or undefined if the answer is not JSON. */
  readonly code: unknown;
}

/** A request whose path and body are sent exactly as given. */
export function rawRequest(
  url: string,
  path: string,
  { method = 'GET', headers = {}, body }: RawRequest = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers, agent: false }, (response) => {
      buffer(response).then((bytes) => {
        const text = bytes.toString();
        const isJson = response.headers['content-type']?.includes('json') ?? false;
        const code = isJson && text !== '' ? (JSON.parse(text) as { code?: unknown }).code : undefined;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, code });
      }, reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
