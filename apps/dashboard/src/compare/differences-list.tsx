import { pathText, previewOf, entriesOf, isBranch } from '../values/tree-model';
import { Table } from '../ui/table';
import { differences, MAX_DIFFERENCES } from './differences';

interface DifferencesProps {
  readonly title: string;
  readonly before: unknown;
  readonly after: unknown;
}

export function Differences({ title, before, after }: DifferencesProps) {
  const found = differences(before, after);
  const more = found.length >= MAX_DIFFERENCES ? ` (the first ${MAX_DIFFERENCES} differences)` : '';
  return (
    <Table
      caption={`${title}${more}`}
      columns={['Field', 'Left', 'Right']}
      isEven
      empty="The same on both sides."
      rows={found.map(({ path, before: left, after: right }) => ({
        key: pathText(path),
        cells: [
          <code key="path">{pathText(path) || 'all of it'}</code>,
          <code key="left">{shown(left)}</code>,
          <code key="right">{shown(right)}</code>,
        ],
      }))}
    />
  );
}

function shown(value: unknown): string {
  if (value === undefined) return 'absent';
  return previewOf(value, isBranch(value) ? entriesOf(value).length : null);
}
