import { Notifications } from '@mantine/notifications';

/** Apart from `Notices`: what that needs of the kit is in every page. */
export function NoticeList() {
  return <Notifications position="bottom-right" limit={3} />;
}
