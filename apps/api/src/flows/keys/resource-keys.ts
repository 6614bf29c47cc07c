import { Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { GrantCache } from '@weft/identity';
import { boundedErrors, isId, MAX_ERRORS, WeftError, type FieldError } from '@weft/kernel';
import { FlowRepository, IntegrationRepository, type NamedFlow, type NamedLink } from '@weft/records';
import { renamed, type NamingFlow, type ResourceKind } from '@weft/shapes';
import { TenantScope } from '@weft/store';
import { maySeeLink, mayUseLink } from '../../integrations/integration-rights.js';
import { LEFT_OUT } from '../documents/fill-left-out.js';
import { FlowRights } from '../flow-rights.js';

/** A flow with ids only, and the keys in it that name nothing which the caller may see. */
export interface Resolved<T> {
  readonly flow: T;
  readonly faults: readonly FieldError[];
}

const SAYS: Readonly<Record<ResourceKind, string>> = {
  integration: 'your company has no integration link with this key that you may see',
  flow: 'your company has no flow with this key that you may see',
};

/**
 * Keys of links and flows are in what people write and read; a stored flow has ids. So a key that is given to something else
 * changes nothing that runs, and rights are judged by ids alone. What has the form of an id is never a key.
 */
@Injectable()
export class ResourceKeys {
  constructor(
    private readonly integrations: IntegrationRepository,
    private readonly flows: FlowRepository,
    private readonly grants: GrantCache,
    private readonly rights: FlowRights,
  ) {}

  /** Ids in the place of keys. A key of something that the caller may not see is as unknown as one of nothing. */
  async resolved<T extends NamingFlow>(caller: Principal, flow: T): Promise<Resolved<T>> {
    const keys = namesIn(flow, (text) => text !== LEFT_OUT && !isId(text));
    const ids = await this.seen(caller, keys, ({ _id, key }) => [key, _id]);
    const faults: FieldError[] = [];
    const known = renamed(flow, (kind, text, path) => {
      const id = ids[kind].get(text);
      const isUnknown = id === undefined && keys[kind].has(text);
      if (isUnknown && faults.length < MAX_ERRORS) faults.push({ path, code: 'unknown_id', message: SAYS[kind] });
      return id ?? text;
    });
    return { flow: known, faults };
  }

  /** @throws WeftError `unknown_id` with the path of each unknown key */
  async resolve<T extends NamingFlow>(caller: Principal, flow: T): Promise<T> {
    const { flow: known, faults } = await this.resolved(caller, flow);
    assertKnown(faults);
    return known;
  }

  /** The key of each place that names by its id what the caller may see, by the path of the place. */
  async keysIn(caller: Principal, flow: NamingFlow): Promise<ReadonlyMap<string, string>> {
    const keys = await this.seen(caller, namesIn(flow, isId), ({ _id, key }) => [_id, key]);
    const found = new Map<string, string>();
    renamed(flow, (kind, text, path) => {
      const key = keys[kind].get(text);
      if (key) found.set(path, key);
      return text;
    });
    return found;
  }

  private async seen(
    caller: Principal,
    { integration, flow }: Names,
    entryOf: (of: { readonly _id: string; readonly key: string }) => readonly [string, string],
  ): Promise<Readonly<Record<ResourceKind, ReadonlyMap<string, string>>>> {
    const scope = new TenantScope(caller.companyId);
    const [links, flows] = await Promise.all([
      integration.size > 0 ? this.integrations.named(scope, [...integration]) : [],
      flow.size > 0 ? this.flows.named(scope, [...flow]) : [],
    ]);
    const entries: Record<ResourceKind, Map<string, string>> = { integration: new Map(), flow: new Map() };
    for (const link of links) {
      const { _id, Key: key } = link;
      if (key && (await this.maySee(caller, link))) entries.integration.set(...entryOf({ _id, key }));
    }
    for (const { key, ...named } of flows) {
      if (key && (await this.mayName(caller, named))) entries.flow.set(...entryOf({ _id: named._id, key }));
    }
    return entries;
  }

  private maySee(caller: Principal, link: NamedLink): boolean | Promise<boolean> {
    return this.grants.decide(caller, (held) => {
      const granted = held.flatMap((grants) => grants.on('integration', link._id));
      return maySeeLink(caller, link, granted) || mayUseLink(caller, link, granted);
    });
  }

  private async mayName(caller: Principal, flow: Omit<NamedFlow, 'key'>): Promise<boolean> {
    return (await this.rights.may(caller, 'read', flow)) || (await this.rights.may(caller, 'execute', flow));
  }
}

/** @throws WeftError `unknown_id` */
export function assertKnown(faults: readonly FieldError[]): void {
  const [first] = faults;
  if (first) throw new WeftError('unknown_id', `${first.path}: ${first.message}.`, { errors: boundedErrors(faults) });
}

type Names = Readonly<Record<ResourceKind, ReadonlySet<string>>>;

function namesIn(flow: NamingFlow, isWanted: (text: string) => boolean): Names {
  const names = { integration: new Set<string>(), flow: new Set<string>() };
  renamed(flow, (kind, text) => {
    if (isWanted(text)) names[kind].add(text);
    return text;
  });
  return names;
}
