import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { isFinal, PLAY_STATES } from '@weft/contracts';
import { answerOf, api } from '../api/client';
import { Confirm } from '../ui/confirm';
import { useCommand } from '../ui/use-command';
import type { Flow } from './queries';

interface DeleteFlowProps {
  readonly flow: Flow;
  readonly onClose: () => void;
}

/** Asks, and says what depends on the flow. */
export function DeleteFlow({ flow, onClose }: DeleteFlowProps) {
  const navigate = useNavigate();
  const dependents = useDependents(flow.id);
  const remove = useCommand({
    send: async () => {
      await answerOf(api.DELETE('/api/v1/flows/{id}', { params: { path: { id: flow.id } } }));
      await navigate({ to: '/flows' });
    },
    stales: ['flows'],
    says: () => `“${flow.name}” is deleted.`,
  });
  return (
    <Confirm title={`Delete “${flow.name}”?`} action="Delete" onConfirm={() => remove.mutate()} onClose={onClose}>
      It can no longer be run.
      {dependents && dependents.length > 0 && ` It has ${dependents.join(' and ')}.`} Plays that were accepted go on to
      their end, and stay readable. Flows that run it get an error. An admin can restore it for at least three days.
    </Confirm>
  );
}

/** In words; null while they are read. */
function useDependents(flowId: string): readonly string[] | null {
  const { data } = useQuery({
    queryKey: ['flow', flowId, 'dependents'],
    gcTime: 0,
    queryFn: async () => {
      const state = PLAY_STATES.filter((each) => !isFinal(each));
      const [{ jobs }, { counts }] = await Promise.all([
        answerOf(api.GET('/api/v1/scheduler/jobs', { params: { query: { flow_id: flowId } } })),
        answerOf(
          api.GET('/api/v1/plays/counts', {
            params: { query: { flowId, state } },
            querySerializer: { array: { style: 'form', explode: false } },
          }),
        ),
      ]);
      const open = state.reduce((sum, each) => sum + counts[each], 0);
      return [...countText(jobs.length, 'schedule'), ...countText(open, 'open play')];
    },
  });
  return data ?? null;
}

function countText(count: number, noun: string): string[] {
  if (count === 0) return [];
  return [count === 1 ? `1 ${noun}` : `${count.toLocaleString()} ${noun}s`];
}
