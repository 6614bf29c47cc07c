import { lookup as dnsLookup, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { mayBeCalled, type AddressGuard, type AddressVerdict } from './address-guard.js';
import { blocked } from './blocked-destination.js';

/** Every address of a name. The answer given here is the one connected to: there is no second look-up to rebind. */
export type ResolveHost = (
  hostname: string,
  callback: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void;

export const resolveByOs: ResolveHost = (hostname, callback) => {
  dnsLookup(hostname, { all: true }, (error, addresses) => callback(error, error ? [] : addresses));
};

/** A look-up for `net.connect` that answers with nothing but what the guard lets through on this port. */
export function guardedLookup(guard: AddressGuard, resolve: ResolveHost, port: number): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, (error, answers) => {
      if (error) return callback(error, []);
      const verdicts = answers.map(({ address }) => guard.judge(address, port));
      const safe = safeAnswers(answers, verdicts);
      const first = safe[0];
      if (!first)
        return callback(
          blocked(
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
 * One refused answer refuses the name, since a public name has no business with a private address; but where the operator
 * opened some of the answers (`localhost` is 127.0.0.1 and ::1), those are what is meant.
 */
function safeAnswers(answers: readonly LookupAddress[], verdicts: readonly AddressVerdict[]): LookupAddress[] {
  if (verdicts.includes('opened')) return answers.filter((_, i) => verdicts[i] === 'opened');
  return verdicts.every(mayBeCalled) ? [...answers] : [];
}
