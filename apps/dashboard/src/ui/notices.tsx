import { useNotifications } from '@mantine/notifications';
import { lazy, Suspense, useState } from 'react';

const NoticeList = lazy(async () => ({ default: (await import('./notice-list')).NoticeList }));

/** What is said in the corner of the page: loaded when something is said for the first time. */
export function Notices() {
  const isSaid = useNotifications().notifications.length > 0;
  const [wasSaid, setWasSaid] = useState(false);
  if (isSaid && !wasSaid) setWasSaid(true);
  return <Suspense>{wasSaid && <NoticeList />}</Suspense>;
}
