import { Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import type { Page } from '@weft/contracts';
import { destinationTopic } from '@weft/engine';
import { WeftError } from '@weft/kernel';
import { Mongo, TenantScope, WaitingPlaysRepository, type AuditAction } from '@weft/store';
import { DESTINATIONS, DestinationRepository, type DestinationChange, type DestinationDocument } from '@weft/records';
import { actorEntry, changesBetween, type Actor } from '../audit/actor-entry.js';
import { toPage, toPageRequest, type PageQuery } from '../http/paging.js';
import { toDestinationView, type DestinationView } from './destination.view.js';
import { rateLimitOf } from './rate-limit.request.js';
import type { UpdateDestinationBody } from './destination.requests.js';

/** docs/operator-contract.md §1. */
const MAX_DESTINATIONS = 1_000;
const ADDRESS = /^(?:[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\]):([1-9][0-9]{0,4})$/;
const MAX_PORT = 65_535;
const ATTEMPTS = 5;

/** Whom the flows of the caller's company call. */
@Injectable()
export class DestinationsService {
  constructor(
    private readonly mongo: Mongo,
    private readonly destinations: DestinationRepository,
    private readonly waiting: WaitingPlaysRepository,
  ) {}

  async list(caller: Principal, query: PageQuery): Promise<Page<DestinationView>> {
    const scope = scopeOf(caller);
    const page = toPageRequest(query, (key) => /^[\w-]+$/.test(key));
    // an address has dots, which a cursor has between its parts
    const after = page.after === null ? null : Buffer.from(page.after, 'base64url').toString();
    const found = await this.destinations.list(scope, { ...page, after });
    const items: DestinationView[] = [];
    for (const each of found.items) items.push(await this.view(scope, each));
    const nextAfter = found.nextAfter === null ? null : Buffer.from(found.nextAfter).toString('base64url');
    return toPage(page, { ...found, items, nextAfter }, (each) => each);
  }

  /** @throws WeftError `not_found` */
  async read(caller: Principal, address: string): Promise<DestinationView> {
    const scope = scopeOf(caller);
    const found = await this.destinations.find(scope, address);
    if (!found || !isShown(found)) throw unknownDestination();
    return this.view(scope, found);
  }

  /** A destination that was not limited before is there from then on. @throws WeftError `not_found`, `too_many_destinations` */
  async update(actor: Actor, address: string, { rate_limit }: UpdateDestinationBody): Promise<DestinationView> {
    const limit = rateLimitOf(rate_limit);
    return this.change(actor, address, 'destination_updated', (before) => ({
      ...before,
      ...(limit !== undefined && { rate_limit: limit }),
    }));
  }

  /** Nothing calls it until somebody releases it. @throws WeftError `not_found`, `too_many_destinations` */
  pause(actor: Actor, address: string): Promise<DestinationView> {
    return this.change(actor, address, 'destination_paused', (before) => ({ ...before, state: 'paused' }));
  }

  /** Calls come back in steps, also to one that is down. @throws WeftError `not_found` */
  release(actor: Actor, address: string): Promise<DestinationView> {
    return this.change(actor, address, 'destination_released', (before, isKnown) => {
      if (!isKnown) throw unknownDestination();
      return { ...before, state: before.state === 'up' ? 'up' : 'recovering' };
    });
  }

  private async change(
    actor: Actor,
    address: string,
    action: AuditAction,
    changed: (before: DestinationChange, isKnown: boolean) => DestinationChange,
  ): Promise<DestinationView> {
    if (!isAddress(address)) throw noAddress();
    const scope = scopeOf(actor.caller);
    for (let attempt = 1; ; attempt += 1) {
      const found = await this.destinations.find(scope, address);
      const { state = 'up', rate_limit = null } = found ?? {};
      const before: DestinationChange = { state, rate_limit };
      const after = changed(before, found !== null && isShown(found));
      const subject = { collection: DESTINATIONS, resource_type: 'destination', resource_id: address };
      const entry = actorEntry(actor, action, subject, changesBetween(before, after, ['state', 'rate_limit']));
      const saved = await this.destinations.change(scope, address, found, after, MAX_DESTINATIONS, entry);
      if (saved === 'saved') {
        const now = (await this.destinations.find(scope, address)) ?? found;
        return now ? this.view(scope, now) : this.plainView(address);
      }
      if (saved === 'full' || attempt === ATTEMPTS) throw tooMany(saved);
    }
  }

  /** Of one of which nothing is kept. */
  private plainView(address: string): DestinationView {
    const since = new Date(this.mongo.serverNow());
    return toDestinationView({ address, state: 'up', since, rate_limit: null }, 0);
  }

  private async view(scope: TenantScope, destination: DestinationDocument): Promise<DestinationView> {
    const topic = destinationTopic(destination.address);
    return toDestinationView(destination, await this.waiting.count(scope, topic));
  }
}

function scopeOf(caller: Principal): TenantScope {
  return new TenantScope(caller.companyId);
}

/** Written as the URL of a call has it: any other form would limit no call. */
function isAddress(address: string): boolean {
  const port = ADDRESS.exec(address)?.[1];
  if (port === undefined || Number(port) > MAX_PORT) return false;
  const host = address.slice(0, -port.length - 1);
  return !host.endsWith('.') && URL.parse(`http://${host}/`)?.hostname === host;
}

/** One that is up and not limited is only kept for a while. */
function isShown({ state, rate_limit }: DestinationDocument): boolean {
  return state !== 'up' || rate_limit !== null;
}

function unknownDestination(): WeftError {
  return new WeftError('not_found', 'Your company has no destination with this host and port.');
}

function noAddress(): WeftError {
  return new WeftError('not_found', 'A destination is a host in lower case and a port, such as api.example.com:443.');
}

function tooMany(saved: 'full' | 'conflict'): WeftError {
  if (saved === 'conflict')
    return new WeftError('store_unavailable', 'Somebody else changes this destination just now.');
  return new WeftError(
    'too_many_destinations',
    `The company has ${MAX_DESTINATIONS} destinations: take the limit of one away, or release one, first.`,
  );
}
