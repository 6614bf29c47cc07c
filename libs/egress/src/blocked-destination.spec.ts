import { describe, expect, it } from 'vitest';
import { createAddressGuard } from './address-guard.js';
import { destinationBlocked, refusalOfUrl } from './blocked-destination.js';

describe('a blocked destination', () => {
  it.each([
    ['127.0.0.1', 9999, '127.0.0.1 is an address that may not be called from here', '127.0.0.1/32:9999'],
    ['10.1.2.3', 80, '10.1.2.3 is an address', '10.1.2.3/32:80'],
    ['fd00::7', 443, 'fd00::7 is an address', '[fd00::7/128]:443'],
    ['::ffff:10.0.0.1', 80, '::ffff:10.0.0.1 is an address', '10.0.0.1/32:80'],
    ['localhost', 3000, 'localhost leads to an address', '127.0.0.1/32:3000'],
  ])('%s is said with the setting that opens it', (host, port, what, opening) => {
    const { message } = destinationBlocked(host, port);
    expect(message).toContain(what);
    expect(message).toMatch(new RegExp(`EGRESS_ALLOW=${opening.replace(/[[\].]/g, '\\$&')}$`));
  });

  it('tells of a name no address', () => {
    expect(destinationBlocked('db.internal', 5432).message).toBe(
      'db.internal leads to an address that may not be called from here. An operator opens it with EGRESS_ALLOW=<its address>/32:5432',
    );
  });

  it('is said to be closed where an operator closed it', () => {
    expect(destinationBlocked('8.8.8.8', 80, 'closed').message).toBe(
      '8.8.8.8 is an address that may not be called from here. An operator closed it with EGRESS_DENY',
    );
    const guard = createAddressGuard({ allow: [], deny: [{ cidr: '8.8.8.8/32', port: null }] });
    expect(refusalOfUrl('https://8.8.8.8/', guard)).toMatch(/EGRESS_DENY$/);
  });

  it('is not said to be opened where nobody has a reason to', () => {
    for (const host of ['168.63.129.16', '169.254.169.254', 'fe80::1', '0.0.0.0', '224.0.0.1']) {
      expect(destinationBlocked(host, 80).message).not.toContain('EGRESS_ALLOW');
    }
  });
});

describe('an address that is written out', () => {
  const guard = createAddressGuard({ allow: [{ cidr: '127.0.0.1/32', port: 9000 }] });

  it.each([
    'http://127.0.0.1:9999/orders',
    'http://127.0.0.1:9999',
    'HTTPS://10.0.0.1/{{ .a.id }}?q={{ $prev.args.q }}',
    'http://0x7f.1:9999/',
    'http://2130706433/',
    'http://[::1]:8080/x',
    'http://[::ffff:127.0.0.1]/',
    'http://localhost:3000/',
    'http://localhost./',
    'http://user:secret@192.168.0.1/',
    ' http://169.254.169.254/latest ',
  ])('%s is refused', (url) => {
    const refusal = refusalOfUrl(url, guard);
    expect(refusal).toMatch(/may not be called from here/);
    expect(refusal).not.toContain('secret');
  });

  it.each([
    'http://127.0.0.1:9000/x',
    'http://localhost:9000/x',
    'https://93.184.216.34/',
    'https://example.com/',
    'http://db.internal/',
    '{{ $prev.args.url }}',
    'http://{{ $prev.args.host }}/',
    'http://127.0.0.1:{{ $prev.args.port }}/',
    'http://127.0.0.1{{ $prev.args.more }}/',
    'http://',
    'ftp://127.0.0.1/',
    '',
  ])('%s is not known to be refused', (url) => expect(refusalOfUrl(url, guard)).toBeNull());

  it('is read in one pass, however many blanks are in it', () => {
    const blanks = ' '.repeat(500_000);
    expect(refusalOfUrl(`http://127.0.0.1:9999${blanks}{`, guard)).toBeNull();
    expect(refusalOfUrl(`${blanks}http://127.0.0.1:9999${blanks}`, guard)).toMatch(/may not be called from here/);
  });
});
