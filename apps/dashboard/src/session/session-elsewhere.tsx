import { Button, Modal } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { showError } from '../ui/show-error';
import { useHalt } from './expiry';
import { companyName, useMe } from './me';
import { comeBack, mayReturn } from './session';
import { leave } from './unsaved';
import classes from './session-elsewhere.module.css';

/**
 * Over all of a page with something unsaved, when another tab has signed in somebody else or switched the company: nothing of
 * the page is seen, and nothing of it is sent, until somebody decides.
 */
export function SessionElsewhere() {
  const me = useMe();
  const halt = useHalt();
  const back = useMutation({ mutationFn: () => comeBack(me), onError: showError });
  if (halt?.why !== 'elsewhere') return null;
  const { now } = halt;
  const mayComeBack = now === null || mayReturn(now, me);
  return (
    <Modal
      opened
      fullScreen
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      title={titleFor(now === null ? null : now.user.id === me.user.id ? companyName(now) : now.user.email)}
      zIndex={1_000}
      transitionProps={{ duration: 0 }}
      classNames={{ content: classes.content ?? '' }}
    >
      <p>
        This page is of {companyName(me)}, with changes that are not saved. It shows nothing and sends nothing while the
        browser is elsewhere.
      </p>
      <div className={classes.buttons}>
        {mayComeBack && (
          <Button loading={back.isPending} onClick={() => back.mutate()}>
            Back to {companyName(me)}
          </Button>
        )}
        <Button variant="default" onClick={() => leave('/')}>
          Go on, and lose the changes
        </Button>
      </div>
    </Modal>
  );
}

/** @param place null when it is not known */
function titleFor(place: string | null): string {
  return place === null ? 'The session of this browser has changed' : `This browser has gone to ${place}`;
}
