import { describe, expect, it } from 'vitest';
import { createAddressGuard } from './address-guard.js';

describe('createAddressGuard', () => {
  const guard = createAddressGuard({ allow: [] });

  it.each([
    '0.0.0.0',
    '0.1.2.3',
    '127.0.0.1',
    '127.255.255.254',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '100.127.255.255',
    '169.254.169.254',
    '169.254.170.2',
    '192.0.0.192',
    '192.0.2.1',
    '192.88.99.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:a9fe:a9fe',
    '::127.0.0.1',
    '::7f00:1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    '2001:0:7f00:1::',
    '2001:db8::1',
    '3fff::1',
    '100::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '5f00::1',
    '4000::1',
    '::2:3:4',
  ])('refuses %s', (address) => {
    expect(guard.judge(address, 80)).toBe('refused');
  });

  it.each(['', 'localhost', 'example.com', '1.2.3', 'not an address'])('refuses %j, which is no address', (text) => {
    expect(guard.judge(text, 80)).toBe('refused');
  });

  it.each(['1.1.1.1', '8.8.8.8', '172.15.0.1', '172.32.0.1', '100.63.0.1', '2606:4700:4700::1111', '::ffff:8.8.8.8'])(
    'lets %s through',
    (address) => {
      expect(guard.judge(address, 80)).toBe('public');
    },
  );

  it('opens what the operator names, with its port when it has one', () => {
    const opened = createAddressGuard({
      allow: [
        { cidr: '127.0.0.1/32', port: 8080 },
        { cidr: '10.1.0.0/16', port: null },
        { cidr: '::1/128', port: null },
      ],
    });
    expect(opened.judge('127.0.0.1', 8080)).toBe('opened');
    expect(opened.judge('::ffff:127.0.0.1', 8080)).toBe('opened');
    expect(opened.judge('127.0.0.1', 8081)).toBe('refused');
    expect(opened.judge('127.0.0.2', 8080)).toBe('refused');
    expect(opened.judge('10.1.255.1', 1)).toBe('opened');
    expect(opened.judge('10.2.0.1', 1)).toBe('refused');
    expect(opened.judge('::1', 1)).toBe('opened');
    expect(opened.judge('8.8.8.8', 1)).toBe('public');
  });

  it('refuses what the platform under a virtual machine answers at, though it looks public', () => {
    expect(guard.judge('168.63.129.16', 80)).toBe('refused');
    expect(guard.judge('::ffff:168.63.129.16', 32526)).toBe('refused');
    const opened = createAddressGuard({ allow: [{ cidr: '168.63.129.16/32', port: 53 }] });
    expect([opened.judge('168.63.129.16', 53), opened.judge('168.63.129.16', 80)]).toEqual(['opened', 'refused']);
  });

  it('calls what the operator closes neither as public nor as opened', () => {
    const closing = createAddressGuard({
      allow: [{ cidr: '10.0.0.0/8', port: null }],
      deny: [
        { cidr: '8.8.8.0/24', port: null },
        { cidr: '1.1.1.1/32', port: 53 },
        { cidr: '10.9.0.0/16', port: null },
        { cidr: '2606:4700::/32', port: null },
      ],
    });
    const verdicts = (['8.8.8.8', '::ffff:8.8.8.8', '8.8.9.8', '10.9.1.1', '10.8.1.1', '2606:4700::1'] as const).map(
      (each) => closing.judge(each, 443),
    );
    expect(verdicts).toEqual(['closed', 'closed', 'public', 'closed', 'opened', 'closed']);
    expect([closing.judge('1.1.1.1', 53), closing.judge('1.1.1.1', 443)]).toEqual(['closed', 'public']);
  });

  it('takes a range of IPv4 that is written as one of IPv6 for what it means', () => {
    const closing = createAddressGuard({
      allow: [{ cidr: '::ffff:10.0.0.0/104', port: null }],
      deny: [{ cidr: '::ffff:8.8.8.8/128', port: null }],
    });
    const verdicts = ['8.8.8.8', '::ffff:8.8.8.8', '8.8.4.4', '10.1.2.3'].map((each) => closing.judge(each, 443));
    expect(verdicts).toEqual(['closed', 'closed', 'public', 'opened']);
  });

  it('refuses to start with a range that cannot be read', () => {
    expect(() => createAddressGuard({ allow: [{ cidr: '127.0.0.1', port: null }] })).toThrow();
  });
});
