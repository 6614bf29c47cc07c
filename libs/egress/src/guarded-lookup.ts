import { lookup as dnsLookup, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isCallable, type AddressGuard, type AddressVerdict } from './address-guard.js';
import { destinationBlocked } from './blocked-destination.js';

/**
 * All addresses of a name. The addresses given here are those connected to: there is no second look-up that could give
 * others.
 */
export type ResolveHost = (
  hostname: string,
  callback: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void;

export const resolveByOs: ResolveHost = (hostname, callback) => {
  dnsLookup(hostname, { all: true }, (error, addresses) => callback(error, error ? [] : addresses));
};

/** A look-up for `net.connect` that gives only addresses that the guard allows on this port. */
export function guardedLookup(guard: AddressGuard, resolve: ResolveHost, port: number): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, (error, answers) => {
      if (error) return callback(error, []);
      const verdicts = answers.map(({ address }) => guard.judge(address, port));
      const safe = safeAnswers(answers, verdicts);
      const first = safe[0];
      if (!first)
        return callback(
          destinationBlocked(
            hostname,
            port,
            verdicts.find((each) => each === 'closed'),
          ),
          [],
        );
      if (options.all) callback(null, safe);
      else callback(null, first.address, first.family);
    });
  };
}

/**
 * One refused address refuses the name, since a public name should not resolve to a private address; but if the
 * operator allowed some of the addresses (`localhost` is 127.0.0.1 and ::1), those are used.
 */
function safeAnswers(answers: readonly LookupAddress[], verdicts: readonly AddressVerdict[]): LookupAddress[] {
  if (verdicts.includes('opened')) return answers.filter((_, i) => verdicts[i] === 'opened');
  return verdicts.every(isCallable) ? [...answers] : [];
}
