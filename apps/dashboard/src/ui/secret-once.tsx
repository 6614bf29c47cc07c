import { Button, Modal } from '@mantine/core';
import { CopyText } from './copy-text';
import classes from './secret-once.module.css';

interface SecretOnceProps {
  readonly title: string;
  /** What to do with it. */
  readonly children: string;
  readonly secret: string;
  readonly onClose: () => void;
}

/** Something that the server shows this once: only the button closes it. */
export function SecretOnce({ title, children, secret, onClose }: SecretOnceProps) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <div className={classes.body}>
        <p>This is the only time that it is shown. {children}</p>
        <div className={classes.secret}>
          <CopyText text={secret} />
        </div>
        <div>
          <Button data-autofocus onClick={onClose}>
            I have copied it
          </Button>
        </div>
      </div>
    </Modal>
  );
}
