import { Button, Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorNotice } from './error-notice';
import type { Pages } from './use-pages';

interface PagedProps<T> {
  readonly pages: Pages<T>;
  readonly children: (items: readonly T[]) => ReactNode;
}

/** What a list shows while it is read, when that fails, and where there is more of it. */
export function Paged<T>({ pages, children }: PagedProps<T>) {
  const { items, error, hasMore, isLoadingMore, more, reload } = pages;
  return (
    <>
      {error !== null && <ErrorNotice error={error} onRetry={reload} />}
      {items === null ? error === null && <Skeleton height={160} radius="md" /> : children(items)}
      {hasMore && (
        <div>
          <Button variant="default" loading={isLoadingMore} onClick={more}>
            More
          </Button>
        </div>
      )}
    </>
  );
}
