import type { NetworkInterfaceInfo } from 'node:os';
import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import { createAddressGuard } from './address-guard.js';
import { refusalOfUrl } from './blocked-destination.js';
import { canary, client, get, refusal } from './local-servers.fixture.js';
import { watchMachineAddresses } from './machine-addresses.js';

const having = (...cidrs: string[]): NodeJS.Dict<NetworkInterfaceInfo[]> => ({
  eth0: cidrs.map((cidr) => ({ address: cidr.split('/')[0], cidr }) as NetworkInterfaceInfo),
});
const MACHINE = () => having('11.22.33.44/24', '10.0.0.5/8', '2a01:4f8:1:2::5/64');

describe('public addresses of the machine itself', () => {
  const guard = createAddressGuard({ allow: [], interfaces: MACHINE });

  it.each(['11.22.33.44', '::ffff:11.22.33.44', '2a01:4f8:1:2::5', '2a01:04f8:0001:0002::0:5'])(
    'are refused: %s',
    (address) => expect(guard.judge(address, 27017)).toBe('refused'),
  );

  it.each(['11.22.33.45', '2a01:4f8:1:2::6'])('are not those of its neighbours: %s', (address) => {
    expect(guard.judge(address, 80)).toBe('public');
  });

  it.each(['11.22.33.45', '2a01:4f8:1:2:ffff::6'])(
    'have neighbours that are refused where the operator says so: %s',
    (a) => {
      const closer = createAddressGuard({ allow: [], interfaces: MACHINE, refuseOwnNetworks: true });
      expect(closer.judge(a, 80)).toBe('refused');
      expect([closer.judge('11.22.34.1', 80), closer.judge('2a01:4f8:1:3::6', 80)]).toEqual(['public', 'public']);
    },
  );

  it('are opened by the operator naming them, and told so', () => {
    const refused = refusalOfUrl('http://11.22.33.44:8080/', guard);
    expect(refused).toMatch(/EGRESS_ALLOW=11\.22\.33\.44\/32:8080$/);
    const opened = createAddressGuard({ allow: [{ cidr: '11.22.33.44/32', port: 8080 }], interfaces: MACHINE });
    expect(refusalOfUrl('http://11.22.33.44:8080/', opened)).toBeNull();
    expect(opened.judge('11.22.33.44', 27017)).toBe('refused');
  });

  it('are not called, by address or by name', async () => {
    const target = await canary();
    const port = new URL(target.origin).port;
    const egress = client({
      allow: [],
      interfaces: MACHINE,
      resolve: (_host, callback) => callback(null, [{ address: '11.22.33.44', family: 4 }]),
    });
    for (const host of ['11.22.33.44', 'shop.example']) {
      await expect(egress.request(get(`http://${host}:${port}/`))).rejects.toEqual(refusal('destination_blocked'));
    }
  });
});

describe('the interfaces', () => {
  const own = ipaddr.parse('11.22.33.44');

  it('are looked at again, at most once a second', () => {
    let [now, looks] = [0, 0];
    let present = having('10.0.0.5/8');
    const machine = watchMachineAddresses(
      () => {
        looks += 1;
        return present;
      },
      () => now,
    );
    expect(machine.has(own)).toBe(false);
    present = having('10.0.0.5/8', '11.22.33.44/32');
    now = 999;
    expect([machine.has(own), looks]).toEqual([false, 1]);
    now = 1_000;
    expect([machine.has(own), looks]).toEqual([true, 2]);
  });

  it('count as they were seen last while they cannot be read, and must be readable at the start', () => {
    let isBroken = false;
    let now = 0;
    const read = () => {
      if (isBroken) throw new Error('EMFILE');
      return having('11.22.33.44/24');
    };
    const machine = watchMachineAddresses(read, () => now);
    isBroken = true;
    now = 5_000;
    expect(machine.has(own)).toBe(true);
    expect(() => watchMachineAddresses(read)).toThrow(/AF_NETLINK/);
  });
});
