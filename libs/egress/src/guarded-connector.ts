import { lookup as dnsLookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import type { AddressGuard } from './address-guard.js';
import { EgressError } from './egress-client.js';

/** Every address of a name. The answer given here is the one connected to: there is no second look-up to rebind. */
export type ResolveHost = (
  hostname: string,
  callback: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void;

export interface GuardedConnectorOptions {
  readonly guard: AddressGuard;
  readonly connectTimeoutMs: number;
  readonly resolve?: ResolveHost;
}

const resolveByOs: ResolveHost = (hostname, callback) => {
  dnsLookup(hostname, { all: true }, (error, addresses) => callback(error, error ? [] : addresses));
};

/**
 * Opens sockets only to addresses that the guard lets through. It sits under undici's pools, so each hop of each request
 * passes here: IP literals are judged before the call, names by all of their answers inside it.
 */
export function createGuardedConnector(options: GuardedConnectorOptions): buildConnector.connector {
  const { guard, connectTimeoutMs, resolve = resolveByOs } = options;
  const byPort = new Map<number, buildConnector.connector>();

  const connectorFor = (port: number): buildConnector.connector => {
    const known = byPort.get(port);
    if (known) return known;
    const lookup: LookupFunction = (hostname, lookupOptions, callback) => {
      resolve(hostname, (error, answers) => {
        if (error) return callback(error, []);
        const safe = safeAnswers(guard, answers, port);
        const first = safe[0];
        if (!first) return callback(blocked(hostname), []);
        if (lookupOptions.all) callback(null, safe);
        else callback(null, first.address, first.family);
      });
    };
    const connector = buildConnector({ timeout: connectTimeoutMs, allowH2: false, lookup });
    if (byPort.size >= MAX_PORTS_REMEMBERED) byPort.clear();
    byPort.set(port, connector);
    return connector;
  };

  return (target, callback) => {
    const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80);
    if (isIP(target.hostname) !== 0 && guard.judge(target.hostname, port) === 'refused') {
      callback(blocked(target.hostname), null);
      return;
    }
    connectorFor(port)(target, (...[error, socket]) => {
      if (error) return callback(error, null);
      const peer = socket.remoteAddress;
      if (peer !== undefined && guard.judge(peer, port) === 'refused') {
        socket.destroy();
        return callback(blocked(target.hostname), null);
      }
      callback(null, socket);
    });
  };
}

/** A connector holds a port's look-up and its TLS sessions; whoever calls many ports only loses resumption. */
const MAX_PORTS_REMEMBERED = 256;

/**
 * One refused answer refuses the name, since a public name has no business with a private address; but where the operator
 * opened some of the answers (`localhost` is 127.0.0.1 and ::1), those are what is meant.
 */
function safeAnswers(guard: AddressGuard, answers: readonly LookupAddress[], port: number): LookupAddress[] {
  const verdicts = answers.map(({ address }) => guard.judge(address, port));
  if (verdicts.includes('opened')) return answers.filter((_, i) => verdicts[i] === 'opened');
  return verdicts.includes('refused') ? [] : [...answers];
}

function blocked(hostname: string): EgressError {
  // The address itself is not named: it would tell a tenant what the internal name server knows.
  return new EgressError('destination_blocked', `${hostname} leads to an address that may not be called from here`);
}
