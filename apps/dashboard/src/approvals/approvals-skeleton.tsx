import { Skeleton } from '@mantine/core';

export function ApprovalsSkeleton() {
  return (
    <div aria-busy="true" aria-label="Reading the approvals">
      <Skeleton height={150} mb="md" radius="md" />
      <Skeleton height={150} radius="md" />
    </div>
  );
}
