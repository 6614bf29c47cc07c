import { connectProxy, type ConnectProxyOptions, PEER_EXAMPLE, PRIVATE_CA } from '@weft/testing';
import { expect, it } from 'vitest';
import { probeProxy } from './probe-proxy.js';

async function fault(options: ConnectProxyOptions, scheme = 'http', ca: string | null = null): Promise<string | null> {
  const { port } = await connectProxy(options);
  return probeProxy({ url: `${scheme}://localhost:${port}`, target: 'address' }, ca);
}

it('finds nothing wrong with a proxy that refuses the address, or does not reach it', async () => {
  expect(await fault({ status: () => 403 })).toBeNull();
  expect(await fault({ status: () => 502, certificate: PEER_EXAMPLE }, 'https', PRIVATE_CA)).toBeNull();
});

it('names what keeps modules from using it', async () => {
  expect(await fault({ status: () => 407 })).toContain('credentials');
  expect(await fault({ certificate: PEER_EXAMPLE }, 'https')).toContain('EGRESS_CA');
  expect(await probeProxy({ url: 'http://127.0.0.1:9', target: 'address' }, null)).toContain('ECONNREFUSED');
});
