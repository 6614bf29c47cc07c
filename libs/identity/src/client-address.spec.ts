import { describe, expect, it } from 'vitest';
import { ClientAddress, networkOf } from './client-address.js';

const none = new ClientAddress([]);
const proxied = new ClientAddress(['10.0.0.0/8', '127.0.0.1/32', 'fd00::/8']);

describe('the address of a client', () => {
  it('is the peer when no proxy is trusted, whatever the header says', () => {
    expect(none.of('192.0.2.7', '1.1.1.1')).toBe('192.0.2.7');
    expect(none.of('127.0.0.1', '1.1.1.1')).toBe('127.0.0.1');
  });

  it('is the peer when the peer is not one of the proxies', () => {
    expect(proxied.of('192.0.2.7', '1.1.1.1, 10.0.0.1')).toBe('192.0.2.7');
  });

  it('is the last one that our proxies did not add', () => {
    expect(proxied.of('10.0.0.1', '6.6.6.6, 192.0.2.7')).toBe('192.0.2.7');
    expect(proxied.of('127.0.0.1', ['6.6.6.6, 192.0.2.7', '10.1.1.1'])).toBe('192.0.2.7');
    expect(proxied.of('fd00::1', '2001:DB8::0001')).toBe('2001:db8::1');
  });

  it('is the proxy when the header is missing, or broken at that place', () => {
    expect(proxied.of('10.0.0.1', undefined)).toBe('10.0.0.1');
    expect(proxied.of('10.0.0.1', '192.0.2.7, nonsense')).toBe('10.0.0.1');
    expect(proxied.of('10.0.0.1', '10.0.0.2')).toBe('10.0.0.2');
  });

  it('is written in one way', () => {
    expect(none.of('::ffff:192.0.2.7', undefined)).toBe('192.0.2.7');
    expect(none.of('', undefined)).toBe('');
  });
});

describe('what attempts are counted by', () => {
  it('is the address of IPv4, and of IPv6 the network that one customer has', () => {
    expect(networkOf('192.0.2.7')).toBe('192.0.2.7');
    expect(networkOf('2001:db8:1:2::1')).toBe('2001:db8:1:2::/64');
    expect(networkOf('2001:db8:1:2:ffff:ffff:ffff:ffff')).toBe('2001:db8:1:2::/64');
    expect(networkOf('2001:db8:1:3::1')).toBe('2001:db8:1:3::/64');
    expect(networkOf('::ffff:192.0.2.7')).toBe('192.0.2.7');
    expect(networkOf('fe80::1%eth0')).toBe('fe80::/64');
  });

  it('is whatever is no address, as it is', () => {
    expect(networkOf('a socket')).toBe('a socket');
  });
});
