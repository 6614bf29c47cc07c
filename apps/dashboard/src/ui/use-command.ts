import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query';
import { showError } from './show-error';

interface Command<V> {
  /** The request; and leaving the page of a thing that it deletes, before anything of it is read again. */
  readonly send: (given: V) => Promise<unknown>;
  /** What is read again afterwards. */
  readonly stales: QueryKey;
  /** What was done, also for those who don't see the page change. */
  readonly says: (given: V) => string;
}

/** A change by a button of the page: it says what was done, or what was refused. */
export function useCommand<V = void>({ send, stales, says }: Command<V>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: send,
    onError: showError,
    onSuccess: (_answer, given) => notifications.show({ message: says(given) }),
    onSettled: () => queries.invalidateQueries({ queryKey: stales }),
  });
}

/** A change by a dialog, which shows a refusal itself and closes when it is done. */
export function useSave({ send, stales, says, onClose }: Command<void> & { readonly onClose: () => void }) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => send(),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: stales });
      notifications.show({ message: says() });
      onClose();
    },
  });
}
