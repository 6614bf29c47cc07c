import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { linksQuery } from '../api/links-query';

/** For those who may see integrations. */
export function LinkName({ id }: { readonly id: string }) {
  const { data } = useQuery(linksQuery);
  return <Link to="/admin/integrations">{data?.find((each) => each.id === id)?.Name ?? id}</Link>;
}
