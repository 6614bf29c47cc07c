import type { LookupAddress } from 'node:dns';
import { isIP, type Socket } from 'node:net';
import { isCallable, type AddressGuard } from './address-guard.js';
import { destinationBlocked } from './blocked-destination.js';
import { EgressError } from './egress-client.js';
import { guardedLookup, type ResolveHost } from './guarded-lookup.js';
import { openTunnel, type EgressProxy } from './tunnel.js';

const MAX_ADDRESSES_TRIED = 3;

export interface RouteOptions {
  readonly guard: AddressGuard;
  readonly resolve: ResolveHost;
  readonly proxy: EgressProxy;
  readonly ca?: readonly string[];
  readonly signal?: AbortSignal;
}

/**
 * With a proxy, public addresses are called through it, and those that the operator allows (`EGRESS_ALLOW`) directly, because they are
 * near. Names are resolved and judged here, as without a proxy, before the proxy is asked for anything (ADR 61).
 *
 * @returns a connection to the judged address; null: it is to be made directly
 * @throws EgressError; the error of the name server
 */
export async function openRoute(
  host: string,
  port: number,
  timeoutMs: number,
  options: RouteOptions,
): Promise<Socket | null> {
  const { guard, proxy, ca, signal } = options;
  const addresses = await judgedAddresses(host, port, options);
  if (addresses.some((address) => guard.judge(address, port) === 'opened')) return null;
  let failure: unknown;
  for (const address of addresses.slice(0, MAX_ADDRESSES_TRIED)) {
    try {
      return await openTunnel({ host, address, port }, { proxy, ca, timeoutMs, signal });
    } catch (error) {
      if (error instanceof EgressError && error.code !== 'connect_failed') throw error;
      failure = error;
    }
  }
  throw failure;
}

/** Of a guard whose public addresses are called through a proxy: which are called directly. */
export function nearby(guard: AddressGuard): AddressGuard {
  return {
    judge: (address, port) => {
      const verdict = guard.judge(address, port);
      return verdict === 'public' ? 'refused' : verdict;
    },
  };
}

async function judgedAddresses(
  host: string,
  port: number,
  { guard, resolve }: RouteOptions,
): Promise<readonly string[]> {
  if (isIP(host) !== 0) {
    const verdict = guard.judge(host, port);
    if (!isCallable(verdict)) throw destinationBlocked(host, port, verdict);
    return [host];
  }
  return new Promise((done, fail) => {
    guardedLookup(guard, resolve, port)(host, { all: true }, (error, found) => {
      if (error) fail(error);
      else done((found as LookupAddress[]).map(({ address }) => address));
    });
  });
}
