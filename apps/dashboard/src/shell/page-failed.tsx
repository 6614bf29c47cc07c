import { Button } from '@mantine/core';
import { Link, useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { EmptyState } from '../ui/empty-state';
import { ErrorNotice } from '../ui/error-notice';

/** A page whose data or code could not be read. */
export function PageFailed({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const again = (): void => {
    reset();
    void router.invalidate();
  };
  return <ErrorNotice error={error} onRetry={again} />;
}

export function NoSuchPage() {
  return (
    <EmptyState title="There is no page at this address">
      <p>It may be of another company, or mistyped.</p>
      <Button component={Link} to="/" variant="default">
        Go to the start
      </Button>
    </EmptyState>
  );
}

export function PageComes() {
  return (
    <p className="loading" role="status">
      Loading …
    </p>
  );
}
