import { useKeptList } from '../../session/kept-list';

/** What this browser keeps it under. */
export const TOLD = 'told';

/** Flows of whose failures this browser tells this person while a page is open. */
export function useToldHere() {
  const { all: flows, isFull, set } = useKeptList(TOLD, (each) => (typeof each === 'string' ? each : null));
  return {
    flows,
    isFull,
    set: (flowId: string, isTold: boolean): void => {
      const others = flows.filter((each) => each !== flowId);
      set(isTold ? [...others, flowId] : others);
    },
  };
}
