import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { Refusal } from '../api/refusal';
import { bodyOf, isUnchanged, type Layers } from './draft';
import { partOf, problemsOf, withoutRefused, type Problem } from './problems';

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
      const judge: Judge = async (draft) => {
        const params = { path: { flowId } };
        const body = isDraft ? { layers: draft.map(bodyOf) } : {};
        const report = await answerOf(api.POST('/api/v1/flows/{flowId}/validate', { params, body, signal }));
        return [...problemsOf(draft, report.errors, true), ...problemsOf(draft, report.warnings, false)];
      };
      try {
        return await judge(settled);
      } catch (error) {
        const refused = refusedOf(settled, error);
        return [...refused, ...(await othersThan(refused, settled, judge))];
      }
    },
  });
  const unchecked = fault && [{ key: null, field: '', message: `Not checked: ${fault.message}`, isError: false }];
  return { problems: unchecked ?? data ?? NONE, isChecking: isFetching || settled !== layers };
}

const NONE: readonly Problem[] = [];

type Judge = (layers: Layers) => Promise<readonly Problem[]>;

/** @throws what says nothing about the draft */
function refusedOf(layers: Layers, error: unknown): readonly Problem[] {
  if (!(error instanceof Refusal) || !TELLING.includes(error.status)) throw error;
  const found = error.problem?.errors ?? [];
  if (found.length > 0) return problemsOf(layers, found, true);
  return [{ key: null, field: '', message: error.message, isError: true }];
}

/** What else is wrong: a draft is judged without what its request was refused for. */
async function othersThan(refused: readonly Problem[], layers: Layers, judge: Judge): Promise<readonly Problem[]> {
  const rest = withoutRefused(layers, refused);
  if (rest === null) return NONE;
  const others = await judge(rest).catch((error: unknown) => refusedOf(rest, error));
  return others.filter(
    (other) => !refused.some((each) => each.key === other.key && partOf(each.field) === partOf(other.field)),
  );
}

/** Drafts by number: a large one is no key of a query, which is written out again and again. */
const numbers = new WeakMap<Layers, number>();
let last = 0;

function numberOf(layers: Layers): number {
  const known = numbers.get(layers);
  if (known !== undefined) return known;
  numbers.set(layers, (last += 1));
  return last;
}
