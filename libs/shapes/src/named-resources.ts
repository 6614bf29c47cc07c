/** Where a flow names integration links and other flows: constants, also as the value of a blueprint variable. Pure. */
import { isFields } from '@weft/kernel';

export type ResourceKind = 'integration' | 'flow';

type Args = Readonly<Record<string, unknown>>;

/** A flow, a document, or a part of one. */
export interface NamingFlow {
  readonly layers: readonly { readonly appId: string; readonly args?: Args }[];
  readonly blueprintVars?: Readonly<Record<string, string>> | null;
  readonly settings?: { readonly onFailure?: string | null };
}

/** @returns the name to write in the place of `text`; @param path from the flow, such as `layers.0.args.integrationId` */
export type NameOf = (kind: ResourceKind, text: string, path: string) => string;

const FROM_BLUEPRINT = /^\{\{\s*\$blueprint\.(\w+)\s*\}\}$/;

/**
 * The flow with other names for its links and flows; the same parts where a name stays. `flow` in the args of `run-flow` is
 * written as `flowId`.
 */
export function renamed<T extends NamingFlow>(flow: T, nameOf: NameOf): T {
  const kinds = new Map<string, ResourceKind>();
  const rename: NameOf = (kind, text, path) => {
    const variable = FROM_BLUEPRINT.exec(text)?.[1];
    if (variable !== undefined) kinds.set(variable, kind);
    return text === '' || text.includes('{{') ? text : nameOf(kind, text, path);
  };
  const layers = flow.layers.map((layer, position) => {
    const { appId, args } = layer;
    const given =
      args && inLayer(appId, args, (kind, text, path) => rename(kind, text, `layers.${position}.args.${path}`));
    return given === args ? layer : { ...layer, args: given };
  });
  const { blueprintVars, settings } = flow;
  const onFailure = settings?.onFailure;
  return {
    ...flow,
    layers,
    ...(blueprintVars && {
      blueprintVars: mapText(blueprintVars, (name, value) => {
        const kind = kinds.get(name);
        return kind === undefined ? value : rename(kind, value, `blueprintVars.${name}`);
      }),
    }),
    ...(onFailure && { settings: { ...settings, onFailure: rename('flow', onFailure, 'settings.onFailure') } }),
  };
}

function inLayer(appId: string, args: Args, rename: NameOf): Args {
  const { auth } = args;
  const withAuth = isFields(auth)
    ? put(args, 'auth', inField(auth, 'integrationId', 'integration', 'auth.', rename))
    : args;
  const withLinks = inField(withAuth, 'integrationId', 'integration', '', rename);
  if (appId === 'agent') return inTools(withLinks, rename);
  if (appId !== 'run-flow') return withLinks;
  const { flow, ...others } = withLinks;
  if (flow === undefined || 'flowId' in others) return inField(withLinks, 'flowId', 'flow', '', rename);
  return { ...others, flowId: typeof flow === 'string' ? rename('flow', flow, 'flow') : flow };
}

/** The tools of an agent name what layers of their kind name. */
function inTools(args: Args, rename: NameOf): Args {
  const { tools } = args;
  if (!Array.isArray(tools)) return args;
  const renamedTools = tools.map((tool: unknown, at) => {
    if (!isFields(tool)) return tool;
    const appId = tool.kind === 'flow' ? 'run-flow' : '';
    return inLayer(appId, tool, (kind, text, path) => rename(kind, text, `tools.${at}.${path}`));
  });
  return renamedTools.every((tool, at) => tool === tools[at]) ? args : { ...args, tools: renamedTools };
}

function inField(values: Args, name: string, kind: ResourceKind, before: string, rename: NameOf): Args {
  const text = values[name];
  return typeof text === 'string' ? put(values, name, rename(kind, text, `${before}${name}`)) : values;
}

function put(values: Args, name: string, value: unknown): Args {
  return values[name] === value ? values : { ...values, [name]: value };
}

function mapText(
  values: Readonly<Record<string, string>>,
  of: (name: string, value: string) => string,
): Readonly<Record<string, string>> {
  const entries = Object.entries(values).map(([name, value]) => [name, of(name, value)] as const);
  return entries.every(([name, value]) => values[name] === value) ? values : Object.fromEntries(entries);
}
