import { NativeSelect } from '@mantine/core';
import type { components } from '@weft/client';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { IntegrationDialog, type LinkStart } from '../admin/integrations/integration-dialog';
import { KINDS } from '../admin/integrations/kinds';
import { answerOf, api as client } from '../api/client';
import { Description } from './description';
import { APIS_KEY, type ApiWithReport } from './queries';

type Suggestion = components['schemas']['ApiWithReport']['security'][number];

interface ConnectDialogProps {
  readonly api: ApiWithReport;
  /** What is asked for: by an operation, or by the API. */
  readonly suggestions: readonly Suggestion[];
  /** The address of the page to which somebody comes back who consents; left out: they consent later. */
  readonly returnTo?: string;
  readonly onConnected?: (integrationId: string) => void;
  readonly onClose: () => void;
}

/** Makes the link that the document of an API asks for, and gives it to the API. */
export function ConnectDialog({ api, suggestions, returnTo, onConnected, onClose }: ConnectDialogProps) {
  const queries = useQueryClient();
  const [at, setAt] = useState(0);
  const [starts] = useState(() => startsOf(api, suggestions));
  const chosen = suggestions[at];
  const start = starts[at] ?? starts[0];
  const connect = async (integrationId: string): Promise<void> => {
    const body = { integrationId };
    await answerOf(client.PATCH('/api/v1/apis/{id}', { params: { path: { id: api.id } }, body }));
    await queries.invalidateQueries({ queryKey: APIS_KEY });
    onConnected?.(integrationId);
    if (start?.kind !== 'oauth2' || returnTo === undefined) return;
    const consent = { integration_id: integrationId, returnTo };
    const { authorize_url } = await answerOf(client.POST('/api/v1/integrations/connect', { body: consent }));
    window.location.assign(authorize_url);
  };
  return (
    <IntegrationDialog {...(start && { start })} title={`Connect “${api.name}”`} onMade={connect} onClose={onClose}>
      {suggestions.length > 1 && (
        <NativeSelect
          label="What the document asks for"
          data={suggestions.map(({ schemes, kind }, i) => ({
            value: String(i),
            label: `${schemes.join(' and ')}: ${KINDS[kind].label}`,
          }))}
          value={String(at)}
          onChange={({ currentTarget }) => setAt(Number(currentTarget.value))}
        />
      )}
      {chosen ? (
        <Description text={chosen.description} />
      ) : (
        <p className="soft">The document does not say how callers sign in: choose it.</p>
      )}
      {start?.kind.startsWith('oauth2') && (
        <p role="note">
          The addresses are those of the document: the client secret is sent there. Check that they are the ones of the
          service.{start.kind === 'oauth2' && ' Then somebody signs in there, and consents.'}
        </p>
      )}
    </IntegrationDialog>
  );
}

/** One for each; without any one that shows a token. */
function startsOf(api: ApiWithReport, suggestions: readonly Suggestion[]): readonly LinkStart[] {
  const known = { name: api.name, type: typeOf(api) };
  const any = { ...ANY, endpoint: endpointOf(api) };
  return (suggestions.length > 0 ? suggestions : [any]).map((each) => ({ ...each, ...known }));
}

const ANY = { kind: 'bearer' as const, settings: {}, scopes: [] };

function endpointOf({ baseUrl, servers }: ApiWithReport): string | null {
  const [first] = servers.flatMap(({ url }) => (typeof url === 'string' && /^https?:[^{}]+$/i.test(url) ? [url] : []));
  return baseUrl ?? first ?? null;
}

const MAX_TYPE = 64;

function typeOf({ key, name }: ApiWithReport): string {
  const words = name.toLowerCase().replaceAll(/[^a-z0-9_.-]+/g, '-');
  return (key ?? words.replaceAll(/^-+|-+$/g, '')).slice(0, MAX_TYPE) || 'api';
}
