import { QueryClient } from '@tanstack/react-query';
import { Refusal } from './refusal';

const MAX_TRIES = 2;

/** Nothing is asked for again by a timer: the live stream says when something has changed. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      retry: (count, error) => count < MAX_TRIES && mayPassByItself(error),
    },
    mutations: { retry: false },
  },
});

function mayPassByItself(error: unknown): boolean {
  return error instanceof Refusal && (error.status === 0 || error.status >= 500);
}
