import { useQuery } from '@tanstack/react-query';
import { atLeast } from '@weft/access';
import { answerOf, api } from '../api/client';
import { flowNamesQuery } from '../flows/flow-names';
import { may, useMe } from '../session/me';
import type { DraftLayer, Layers } from './draft';

/** What may stand in a field as it is, and what a person calls it. */
export interface Choice {
  readonly value: string;
  readonly label: string;
}

type Choices = Readonly<Record<'flowId' | 'integrationId', readonly Choice[] | undefined>>;

/** Names of what fields name by id: read when a layer needs them. */
export function useChoices(layer: DraftLayer): Choices {
  const me = useMe();
  const flows = useQuery({ ...flowNamesQuery, enabled: layer.appId === 'run-flow' });
  const links = useQuery({
    queryKey: ['integrations', 'names'],
    staleTime: Infinity,
    retry: false,
    enabled: may(me, atLeast('admin')) && LINKED.includes(layer.appId),
    queryFn: async () => {
      const { items } = await answerOf(api.GET('/api/v1/integrations'));
      return items.map(({ id, Name, IntegrationType }) => ({ value: id, label: `${Name} (${IntegrationType})` }));
    },
  });
  return {
    flowId: flows.data && [...flows.data].map(([value, label]) => ({ value, label })),
    integrationId: links.data,
  };
}

const LINKED: readonly string[] = ['web-request', 'email', 'message', 'ai-chat', 's3', 'sql', 'sql-transaction'];

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
