import { Skeleton } from '@mantine/core';

export function PlaySkeleton() {
  return (
    <div aria-busy="true" aria-label="Reading the play">
      <Skeleton height={78} mb="md" radius="md" />
      <Skeleton height={260} radius="md" />
    </div>
  );
}
