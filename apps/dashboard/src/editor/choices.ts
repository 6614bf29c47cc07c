import type { components } from '@weft/client';
import { useQuery } from '@tanstack/react-query';
import { atLeast } from '@weft/access';
import { linksQuery } from '../api/links-query';
import { flowNamesQuery } from '../flows/flow-names';
import { may, useMe } from '../session/me';
import type { DraftLayer, Layers } from './draft';
import { OPERATION, type Face } from './faces';

/** What may stand in a field as it is, and what a person calls it. */
export interface Choice {
  readonly value: string;
  readonly label: string;
}

type Choices = Readonly<Record<'flowId' | 'integrationId', readonly Choice[] | undefined>>;

/** Names of what fields name by id: read when a layer needs them. @param face of the layer: links that fit it go first */
export function useChoices(layer: DraftLayer, face?: Face): Choices {
  const me = useMe();
  const flows = useQuery({ ...flowNamesQuery, enabled: RUNNING.includes(layer.appId) });
  const links = useQuery({
    ...linksQuery,
    staleTime: Infinity,
    retry: false,
    enabled: may(me, atLeast('admin')) && LINKED.includes(layer.appId),
  });
  return {
    flowId: flows.data && [...flows.data].map(([value, label]) => ({ value, label })),
    integrationId: links.data && linkChoices(links.data, face, layer.args.server),
  };
}

type Link = Pick<components['schemas']['Integration'], 'id' | 'Name' | 'IntegrationType' | 'Kind' | 'Endpoint'>;

/** Of a layer with a face those that it can use, if there are any; they say what others lack. */
export function linkChoices(links: readonly Link[], face: Face | undefined, server: unknown): readonly Choice[] {
  const judged = links.map((link) => ({ link, lack: face ? lackOf(link, face, server) : null }));
  const fitting = judged.filter(({ lack }) => lack === null);
  return [...fitting, ...judged.filter(({ lack }) => lack !== null)].map(({ link, lack }) => ({
    value: link.id,
    label: `${link.Name} (${link.IntegrationType})${lack === null ? '' : `: ${lack}`}`,
  }));
}

/** Null: the operation can be called with it. */
function lackOf({ Kind, Endpoint }: Link, { linkKinds, servers }: Face, server: unknown): string | null {
  const [own, called] = [Endpoint ?? '', servers[typeof server === 'number' ? server : 0] ?? servers[0] ?? ''].map(
    (url) => URL.parse(url)?.origin,
  );
  if (called !== undefined && own !== called) return 'its endpoint is elsewhere';
  return linkKinds.length === 0 || linkKinds.includes(Kind) ? null : `its kind is ${Kind}`;
}

const RUNNING: readonly string[] = ['run-flow', 'agent'];

const LINKED: readonly string[] = [
  OPERATION,
  'web-request',
  'email',
  'message',
  'ai-chat',
  'agent',
  's3',
  'sql',
  'sql-transaction',
];

/** A branch names layers after it; other fields are known by their name. */
export function choicesAt(
  path: string,
  layers: Layers,
  layer: DraftLayer,
  choices: Choices,
): readonly Choice[] | undefined {
  if (layer.appId === 'branch' && /^args\.(?:else|cases\.\d+\.refs)\.\d+$/.test(path)) {
    return layers.slice(layers.indexOf(layer) + 1).map(({ ref, name }) => ({ value: ref, label: name }));
  }
  const name = path.split('.').at(-1);
  return name === 'flowId' || name === 'integrationId' ? choices[name] : undefined;
}
