import { notifications } from '@mantine/notifications';
import { Refusal } from '../api/refusal';
import { wordsOf } from './error-notice';

/** For what fails without a place of its own on the page: a command of a menu. */
export function showError(error: unknown): void {
  const requestId = error instanceof Refusal ? error.requestId : null;
  notifications.show({
    color: 'red',
    title: wordsOf(error),
    message: requestId === null ? '' : `Request ${requestId}`,
    autoClose: 10_000,
  });
}
