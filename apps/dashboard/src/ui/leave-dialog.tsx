import { Button } from '@mantine/core';
import { Dialog } from './dialog';
import classes from './form.module.css';

interface LeaveDialogProps {
  readonly unsaved: string;
  readonly onAnswer: (mayLeave: boolean) => void;
}

export function LeaveDialog({ unsaved, onAnswer }: LeaveDialogProps) {
  return (
    <Dialog onClose={() => onAnswer(false)} title="Leave without saving?" size="sm">
      <p>Not saved: {unsaved}.</p>
      <div className={classes.buttons}>
        <Button color="red.9" onClick={() => onAnswer(true)}>
          Leave
        </Button>
        <Button variant="default" data-autofocus onClick={() => onAnswer(false)}>
          Stay
        </Button>
      </div>
    </Dialog>
  );
}
