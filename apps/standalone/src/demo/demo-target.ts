import { once } from 'node:events';
import { createServer } from 'node:http';

export interface DemoTarget {
  readonly url: string;
  close(): Promise<void>;
}

/** What the demo flow calls: a tiny server on the loopback address, the only private address that this app opens to layers. */
export async function openDemoTarget(port: number): Promise<DemoTarget> {
  const server = createServer((request, response) => {
    const { searchParams, pathname } = new URL(request.url ?? '/', 'http://demo');
    const name = searchParams.get('name') ?? 'world';
    const isKnown = request.method === 'GET' && pathname === '/greeting';
    response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(isKnown ? { greeting: 'Hello', name, at: new Date().toISOString() } : { error: 'not here' }),
    );
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${port}/greeting`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
