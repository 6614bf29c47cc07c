import { Button } from '@mantine/core';
import { Refusal } from '../api/refusal';
import { CopyText } from './copy-text';
import { Help } from './help';
import classes from './error-notice.module.css';

interface ErrorNoticeProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
}

/** What went wrong, in words, with the id by which an operator finds the request in the log. */
export function ErrorNotice({ error, onRetry }: ErrorNoticeProps) {
  const refusal = error instanceof Refusal ? error : null;
  const faults = refusal?.problem?.errors ?? [];
  return (
    <div className={classes.notice} role="alert">
      <p>{wordsOf(error)}</p>
      {faults.length > 0 && (
        <ul>
          {faults.map(({ path, message }) => (
            <li key={path + message}>
              <code>{path}</code> {message}
            </li>
          ))}
        </ul>
      )}
      <div className={classes.foot}>
        {onRetry && (
          <Button variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
        {refusal?.requestId && (
          <span className="soft">
            Request <CopyText text={refusal.requestId} />
          </span>
        )}
        {refusal?.problem && (
          <Help at={`docs/reference/errors.md#${refusal.code}`} about={`the error ${refusal.code}`} />
        )}
      </div>
    </div>
  );
}

export function wordsOf(error: unknown): string {
  if (error instanceof Refusal) return error.message;
  if (error instanceof Error) return `This page has a defect: ${error.message}`;
  return 'Something went wrong.';
}
