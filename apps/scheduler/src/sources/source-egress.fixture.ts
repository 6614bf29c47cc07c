import { createEgressClient, createEgressDialer, type EgressDialer } from '@weft/egress';
import type { Connection, IntegrationSource } from '@weft/layers';
import { PRIVATE_CA } from '@weft/testing';
import { SourceEgress } from './source-egress.js';

const LOOPBACK = { cidr: '127.0.0.1/32', port: null };

/** A way out that may reach this machine, with these links by their ids. */
export function egressTo(
  links: Readonly<Record<string, Connection>> = {},
  sockets: EgressDialer = createEgressDialer({ allow: [LOOPBACK], ca: PRIVATE_CA }),
): SourceEgress {
  const integrations: IntegrationSource = {
    connection: (_company, id) => Promise.resolve(links[id] ?? { missing: true }),
    renewed: () => Promise.resolve(null),
  };
  const http = createEgressClient({ allow: [LOOPBACK] });
  return Object.assign(Object.create(SourceEgress.prototype) as SourceEgress, { http, sockets, integrations });
}
