import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { showError } from '../ui/show-error';
import { samplesQuery, type KeptSample } from './samples-query';

/** Keeps what a layer gave as its sample, or removes it: what completion, hints and dry runs use. */
export function useKeepSample(flowId: string, ref: string) {
  const queries = useQueryClient();
  const path = { flowId, ref };
  const show = (change: (now: readonly KeptSample[]) => KeptSample[]): void =>
    void queries.setQueryData(samplesQuery(flowId).queryKey, (now) => now && change(now));
  const others = (now: readonly KeptSample[]) => now.filter((each) => each.ref !== ref);
  const keep = useMutation({
    mutationFn: (out: unknown) =>
      answerOf(api.PUT('/api/v1/flows/{flowId}/samples/{ref}', { params: { path }, body: { out: out ?? null } })),
    onSuccess: (sample) => {
      show((now) => [...others(now), sample]);
      notifications.show({ message: `Kept as the sample of ${ref}.` });
    },
    onError: showError,
  });
  const remove = useMutation({
    mutationFn: () => answerOf(api.DELETE('/api/v1/flows/{flowId}/samples/{ref}', { params: { path } })),
    onSuccess: () => show(others),
    onError: showError,
  });
  return { keep, remove };
}
