import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { Refusal } from '../api/refusal';
import { bodyOf, isUnchanged, type Layers } from './draft';
import { problemsOf, type Problem } from './problems';

/** After the last key. */
const PAUSE_MS = 400;
/** They say what is wrong with the draft itself. */
const TELLING: readonly number[] = [400, 409, 413, 422];

/**
 * What the server says about the draft, a moment after each change.
 *
 * @param saved what the draft is compared with; the draft itself: it is not looked at
 */
export function useProblems(flowId: string, layers: Layers, saved: Layers) {
  const [settled] = useDebouncedValue(layers, PAUSE_MS);
  const isDraft = saved !== layers && !isUnchanged(saved, settled);
  const {
    data,
    isFetching,
    error: fault,
  } = useQuery({
    queryKey: ['flow', flowId, 'problems', isDraft ? numberOf(settled) : 'saved'],
    gcTime: 0,
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<readonly Problem[]> => {
      const params = { path: { flowId } };
      try {
        const body = isDraft ? { layers: settled.map(bodyOf) } : {};
        const report = await answerOf(api.POST('/api/v1/flows/{flowId}/validate', { params, body, signal }));
        return [...problemsOf(settled, report.errors, true), ...problemsOf(settled, report.warnings, false)];
      } catch (error) {
        if (!(error instanceof Refusal) || !TELLING.includes(error.status)) throw error;
        const found = error.problem?.errors ?? [];
        if (found.length > 0) return problemsOf(settled, found, true);
        return [{ key: null, field: '', message: error.message, isError: true }];
      }
    },
  });
  const unchecked = fault && [{ key: null, field: '', message: `Not checked: ${fault.message}`, isError: false }];
  return { problems: unchecked ?? data ?? NONE, isChecking: isFetching || settled !== layers };
}

const NONE: readonly Problem[] = [];

/** Drafts by number: a large one is no key of a query, which is written out again and again. */
const numbers = new WeakMap<Layers, number>();
let last = 0;

function numberOf(layers: Layers): number {
  const known = numbers.get(layers);
  if (known !== undefined) return known;
  numbers.set(layers, (last += 1));
  return last;
}
