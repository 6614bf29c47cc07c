import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { answerOf, api } from '../../api/client';
import { flowNamesQuery } from '../../flows/flow-names';
import { meantBy } from '../../plays/key-search';
import type { Play } from '../../plays/play';
import { readPlays } from '../../plays/read-plays';
import type { PlaysSearch } from '../../plays/plays-search';
import { STATES } from '../../ui/state-badge';
import { matching, type Entry } from './entries';

const PAUSE_MS = 200;
const MOST = 6;

interface Found {
  /** What they were looked for by. */
  readonly text: string;
  readonly flows: readonly { readonly id: string; readonly name: string }[];
  readonly plays: readonly Play[];
  /** The filter that shows all of these plays. */
  readonly search: PlaysSearch | null;
}

/** Flows by a part of their name, plays by id, label or key: three requests at most, a moment after the last key. */
async function find(text: string, signal: AbortSignal): Promise<Found> {
  const meant = meantBy(text);
  const search = 'search' in meant && text !== '' ? meant.search : null;
  const q = text === '' ? {} : { q: text };
  const [flows, plays, byId] = await Promise.all([
    answerOf(api.GET('/api/v1/flows', { params: { query: { ...q, size: MOST } }, signal })),
    'playId' in meant
      ? readPlay(meant.playId, signal)
      : readPlays(search ?? {}, { size: MOST }).then(({ items }) => items),
    'playId' in meant ? readFlow(meant.playId, signal) : [],
  ]);
  return { text, flows: [...byId, ...flows.items], plays, search: plays.length > 0 ? search : null };
}

const nothing = (): [] => [];

const readPlay = (id: string, signal: AbortSignal): Promise<readonly Play[]> =>
  answerOf(api.GET('/api/v1/plays/{id}', { params: { path: { id } }, signal })).then((play) => [play], nothing);

const readFlow = (id: string, signal: AbortSignal): Promise<Found['flows']> =>
  answerOf(api.GET('/api/v1/flows/{id}', { params: { path: { id } }, signal })).then((flow) => [flow], nothing);

/** What the server has for the text. */
export function useFound(typed: string): { readonly entries: readonly Entry[]; readonly isLooking: boolean } {
  const [text] = useDebouncedValue(typed.trim(), PAUSE_MS);
  const navigate = useNavigate();
  const { data: names } = useQuery(flowNamesQuery);
  const { data, error } = useQuery({
    queryKey: ['palette', text],
    queryFn: ({ signal }) => find(text, signal),
    placeholderData: keepPreviousData,
    retry: false,
  });
  const flows = (data?.flows ?? []).map(({ id, name }): Entry => ({
    ...{ key: `flow ${id}`, group: data?.text === '' ? 'Newest flows' : 'Flows', icon: 'flows', title: name },
    run: () => void navigate({ to: '/flows/$flowId', params: { flowId: id } }),
  }));
  const plays = (data?.plays ?? []).map((play): Entry => ({
    ...{ key: `play ${play.id}`, group: data?.text === '' ? 'Last plays' : 'Plays' },
    icon: STATES[play.state]?.icon ?? 'plays',
    title: names?.get(play.flowId) ?? play.flowId,
    note: [STATES[play.state]?.word, play.idempotencyKey, ...labelsOf(play), play.id].filter(Boolean).join(' · '),
    run: () => void navigate({ to: '/plays/$playId', params: { playId: play.id } }),
  }));
  const all = data?.search
    ? [
        {
          ...{ key: 'all plays', group: 'Plays', icon: 'filter' as const, title: `All plays with ${data.text}` },
          run: () => void navigate({ to: '/plays', search: data.search ?? {} }),
        },
      ]
    : [];
  const entries = [...flows, ...plays, ...all];
  // until the answer is there, what was found before and still matches
  const isLooking = data?.text !== typed.trim();
  return { entries: isLooking ? matching(entries, typed) : entries, isLooking: isLooking && error === null };
}

const labelsOf = ({ labels }: Play): string[] => Object.entries(labels).map(([name, value]) => `${name}:${value}`);
