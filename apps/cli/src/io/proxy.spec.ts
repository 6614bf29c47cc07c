import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { useProxyOf } from './proxy.js';

/** A server, and a proxy through which it is reached by any name. */
async function proxied() {
  const asked: string[] = [];
  const portOf = async (server: ReturnType<typeof createServer>) => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return (server.address() as AddressInfo).port;
  };
  const target = await portOf(createServer((_request, response) => void response.end('reached')));
  const proxy = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end('by the proxy');
  });
  proxy.on('connect', ({ url = '' }, socket, head) => {
    asked.push(url);
    const onward = connect(target, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
  });
  return { asked, local: `http://127.0.0.1:${target}/`, address: `http://127.0.0.1:${await portOf(proxy)}` };
}

describe('the proxy of the environment', () => {
  it('is used for other machines only', async () => {
    const { asked, local, address } = await proxied();
    const undo = await useProxyOf({ HTTP_PROXY: address, NO_PROXY: 'near.test' });
    onTestFinished(() => undo?.());
    expect(await (await fetch('http://weft.test/')).text()).toMatch(/reached|by the proxy/);
    expect(asked).toEqual([expect.stringContaining('weft.test')]);
    expect(await (await fetch(local)).text()).toBe('reached');
    await expect(fetch('http://near.test/')).rejects.toThrow('fetch failed');
    expect(asked).toHaveLength(1);
  });

  it('need not be there', async () => {
    expect(await useProxyOf({ NO_PROXY: '*' })).toBeNull();
  });
});
