import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query';
import { showError } from './show-error';

interface Command<V, R> {
  readonly send: (given: V) => Promise<R>;
  /** What is read again afterwards. */
  readonly stales: QueryKey;
  /** What was done, also for those who don't see the page change. */
  readonly says: (given: V, answer: R) => string;
}

/** A change by a button of the page: it says what was done, or what was refused. */
export function useCommand<V = void, R = unknown>({ send, stales, says }: Command<V, R>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: send,
    onError: showError,
    onSuccess: (answer, given) => notifications.show({ message: says(given, answer) }),
    onSettled: () => queries.invalidateQueries({ queryKey: stales }),
  });
}

/** A change by a dialog, which shows a refusal itself and closes when it is done. */
export function useSave<R = unknown>({
  send,
  stales,
  says,
  onClose,
}: Command<void, R> & { readonly onClose: () => void }) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => send(),
    onSuccess: (answer) => {
      void queries.invalidateQueries({ queryKey: stales });
      notifications.show({ message: says(undefined, answer) });
      onClose();
    },
  });
}
