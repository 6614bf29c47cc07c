import { Button } from '@mantine/core';
import { Icon } from '../ui/icon';
import { rangeText } from './local-time';
import { filterOf, isFiltered, type PlaysSearch } from './plays-search';

interface ActiveFiltersProps {
  readonly search: PlaysSearch;
  readonly onChange: (search: PlaysSearch) => void;
}

/** What narrows the list and has no field of its own in the bar; a click takes it away. */
export function ActiveFilters({ search, onChange }: ActiveFiltersProps) {
  const { from, to, endedFrom, endedTo, errorCode, label = [], retrying, mended } = search;
  const without = (...names: readonly (keyof PlaysSearch)[]) => {
    const left = Object.entries(search).filter(([name]) => !names.includes(name as keyof PlaysSearch));
    onChange(Object.fromEntries(left));
  };
  const withoutLabel = (gone: string): void => {
    const left = label.filter((each) => each !== gone);
    if (left.length === 0) without('label');
    else onChange({ ...search, label: left });
  };
  const active: (readonly [text: string, remove: () => void])[] = [
    ...(from || to ? [[`Accepted ${rangeText(from, to)}`, () => without('from', 'to')] as const] : []),
    ...(endedFrom || endedTo
      ? [[`Ended ${rangeText(endedFrom, endedTo)}`, () => without('endedFrom', 'endedTo')] as const]
      : []),
    ...(errorCode ? [[`Error ${errorCode}`, () => without('errorCode')] as const] : []),
    ...(retrying ? [['Retrying', () => without('retrying')] as const] : []),
    ...(mended ? [[mended === 'true' ? 'Mended' : 'Not mended', () => without('mended')] as const] : []),
    ...label.map((each) => [each, () => withoutLabel(each)] as const),
  ];
  return (
    <>
      {active.map(([text, remove]) => (
        <Button
          key={text}
          variant="light"
          rightSection={<Icon name="cross" size={13} />}
          aria-label={`Without the filter ${text}`}
          onClick={remove}
        >
          {text}
        </Button>
      ))}
      {isFiltered(search) && (
        <Button
          variant="subtle"
          color="gray"
          leftSection={<Icon name="cross" size={13} />}
          onClick={() => onChange(search.sort ? { sort: search.sort } : {})}
        >
          Clear
        </Button>
      )}
    </>
  );
}

/** How many are set in the form of further filters. */
export function countOfMore(search: PlaysSearch): number {
  const { from, to, endedFrom, endedTo, errorCode, label, retrying, mended } = filterOf(search);
  const all = [from ?? to, endedFrom ?? endedTo, errorCode, label, retrying, mended];
  return all.filter((each) => each !== undefined).length;
}
