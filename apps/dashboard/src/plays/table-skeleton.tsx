import { Skeleton } from '@mantine/core';

const ROWS = Array.from({ length: 12 }, (_, i) => i);

export function TableSkeleton() {
  return (
    <div className="panel" aria-busy="true" aria-label="Reading the plays">
      {ROWS.map((i) => (
        <Skeleton key={i} height={16} m="10px" width={`${92 - ((i * 17) % 40)}%`} />
      ))}
    </div>
  );
}
