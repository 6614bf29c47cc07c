import { Button, Modal } from '@mantine/core';
import { SignInForm } from '../sign-in/sign-in-form';
import { useHalt } from './expiry';
import { useMe } from './me';
import { comeBack } from './session';

/** Over the page, which stays as it is: what was typed is still there afterwards. */
export function SessionExpired() {
  const me = useMe();
  const isExpired = useHalt()?.why === 'ended';
  return (
    <Modal
      opened={isExpired}
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title="Your session has ended"
      size="sm"
      zIndex={1_000}
    >
      <p className="soft">Sign in again: the page is as you left it.</p>
      <br />
      <SignInForm email={me.user.email} onSignedIn={() => comeBack(me)} returnTo="/signed-in" inWindow />
      <br />
      <Button component="a" href="/login" variant="subtle" color="gray" fullWidth>
        Sign in as somebody else
      </Button>
    </Modal>
  );
}
