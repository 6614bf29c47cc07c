import { request as httpRequest } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly [member: string]: unknown;
}

/**
 * Requests an upgrade as a plain HTTP client and reads the answer; a socket that opens is closed at once. The path is sent
 * unchanged.
 */
export function knockAt(origin: string, path: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      ...{ host: '127.0.0.1', port: new URL(origin).port, path },
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        ...headers,
      },
    });
    request.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode ?? 0, headers: response.headers });
    });
    request.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => {
        const problem = response.headers['content-type']?.includes('problem') ? (JSON.parse(text) as object) : {};
        resolve({ ...problem, status: response.statusCode ?? 0, headers: response.headers });
      });
    });
    request.on('error', reject);
    request.end();
  });
}
