import { Injectable } from '@nestjs/common';
import type { Warning } from '@weft/contracts';
import type { LayerDefinition } from '@weft/engine';
import { doubtsAboutLink, moduleOf, withParts } from '@weft/layers';
import { TenantScope } from '@weft/store';
import { FlowRepository, IntegrationRepository, type FlowDocument, type LinkPlace } from '@weft/records';
import { FlowFaces } from './flow-faces.js';
import { LEFT_OUT } from './documents/fill-left-out.js';

type Kind = 'integration' | 'flow';

interface NamedId {
  readonly layerId: string;
  readonly appId: string;
  readonly args: LayerDefinition['args'];
  readonly path: string;
  readonly kind: Kind;
  readonly id: string;
}

const MAX_ID_CHARS = 100;
/** Where a layer names the link that `$link` is. */
const AUTH = '.auth.integrationId';
const FROM_BLUEPRINT = /^\{\{\s*\$blueprint\.(\w+)\s*\}\}$/;
const SAYS: Readonly<Record<Kind, string>> = {
  integration: 'the company has no integration link with this id: the layer will fail with integration_not_found',
  flow: 'the company has no flow with this id, or it was deleted: the layer will fail with flow_not_found',
};

/**
 * Warns of ids in the arguments of layers that name nothing now, of links that have not what the layer reads of them, and of what the
 * tools of an agent can do together. They are only warnings and are not stored with the flow, because what an id names may be made,
 * deleted and restored at any time.
 */
@Injectable()
export class NamedIds {
  constructor(
    private readonly integrations: IntegrationRepository,
    private readonly flows: FlowRepository,
    private readonly faces: FlowFaces,
  ) {}

  /** By layer id. */
  async warningsOf(flow: Pick<FlowDocument, 'company_id' | 'layers' | 'blueprintVars'>): Promise<IdWarnings> {
    const named = flow.layers.flatMap((layer) => idsIn(layer, flow.blueprintVars ?? {}));
    if (named.length === 0) return NONE;
    const ofAgents = await this.faces.doubtsOf(flow);
    const scope = new TenantScope(flow.company_id);
    const idsOf = (kind: Kind): string[] => [
      ...new Set(named.filter((each) => each.kind === kind).map(({ id }) => id)),
    ];
    const [links, flows] = await Promise.all([
      this.integrations.among(scope, idsOf('integration')),
      this.flows.idsAmong(scope, idsOf('flow')),
    ]);
    const known: Readonly<Record<Kind, { has(id: string): boolean }>> = { integration: links, flow: flows };
    const found = new Map<string, readonly Warning[]>(ofAgents);
    for (const { layerId, appId, args, kind, id, path } of named) {
      const link = kind === 'integration' ? links.get(id) : undefined;
      const ofLink = (place: LinkPlace) =>
        path.endsWith(AUTH) ? linkWarnings(args, place) : kindWarnings(appId, place, path);
      const warnings = known[kind].has(id) ? (link ? ofLink(link) : []) : [unknownId(path, kind)];
      if (warnings.length > 0) found.set(layerId, [...(found.get(layerId) ?? []), ...warnings]);
    }
    return found;
  }
}

export type IdWarnings = ReadonlyMap<string, readonly Warning[]>;

const NONE: IdWarnings = new Map();

function unknownId(path: string, kind: Kind): Warning {
  return { path, code: 'unknown_id', message: SAYS[kind] };
}

/** Of `$link` in the layer's args. */
function linkWarnings(args: LayerDefinition['args'], { Kind, Endpoint }: LinkPlace): Warning[] {
  const doubts = doubtsAboutLink(args, { endpoint: Endpoint ?? null, ...(Kind && { kind: Kind }) });
  return doubts.map(({ path, message }) => ({ path: `args.${path}`, code: 'link_unfit', message }));
}

/** Of a link that its module cannot use. */
function kindWarnings(appId: string, { Kind = 'bearer' }: LinkPlace, path: string): Warning[] {
  const kinds = moduleOf(appId)?.linkKinds;
  if (!kinds || kinds.includes(Kind)) return [];
  const message = `${appId} needs a link of the kind ${kinds.join(' or ')}, and this one is of the kind ${Kind}`;
  return [{ path, code: 'link_unfit', message }];
}

/** Ids that a layer names without a computation: as they are, or as a variable of the blueprint. */
function idsIn({ id: layerId, ...layer }: LayerDefinition, vars: Readonly<Record<string, string>>): NamedId[] {
  return withParts(layer).flatMap(({ path: at, appId, args }) => {
    const root = at === '' ? 'args' : `args.${at}`;
    const auth = args.auth as Readonly<Record<string, unknown>> | null | undefined;
    const places: readonly (readonly [string, Kind, unknown])[] = [
      [`${root}.integrationId`, 'integration', args.integrationId],
      [`${root}${AUTH}`, 'integration', typeof auth === 'object' ? auth?.integrationId : undefined],
      ...(appId === 'run-flow' ? [[`${root}.flowId`, 'flow', args.flowId] as const] : []),
    ];
    return places.flatMap(([path, kind, text]) => {
      const id = typeof text === 'string' ? constantOf(text, vars) : undefined;
      return id === undefined ? [] : [{ layerId, appId, args, path, kind, id }];
    });
  });
}

function constantOf(text: string, vars: Readonly<Record<string, string>>): string | undefined {
  const name = FROM_BLUEPRINT.exec(text)?.[1];
  const value = name === undefined ? text : Object.hasOwn(vars, name) ? vars[name] : undefined;
  const isConstant = value !== undefined && value.length <= MAX_ID_CHARS && !value.includes('{{');
  return isConstant && value !== LEFT_OUT ? value : undefined;
}
