import { useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client';

/** How many workers have the label of the own company. */
export function OwnWorkers({ label }: { readonly label: string }) {
  const { data } = useQuery({ queryKey: ['queue'], queryFn: () => answerOf(api.GET('/api/v1/admin/queue')) });
  const alive = data?.workers.filter((worker) => worker.label === label).length;
  if (alive === undefined) return <>with the label {label}</>;
  if (alive > 0) return <>{`${alive.toLocaleString()} with the label ${label}`}</>;
  return <strong>{`None with the label ${label} is alive: plays wait for one`}</strong>;
}
