import { TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { CopyButton } from '../ui/copy-button';
import { ErrorNotice } from '../ui/error-notice';
import { ValueTree, type Note } from '../values/value-tree';
import type { LoopKind } from './loop-kind';
import { inputQuery, type LayerInput, type PlayLayer } from './queries';
import classes from './play.module.css';

interface InputProps {
  readonly playId: string;
  readonly layer: PlayLayer;
  /** What it is called for; null: it is one call. */
  readonly kind?: LoopKind | null;
  /** Of a loop; undefined: the one that failed, else the first. */
  readonly item: number | undefined;
  /** Left out where another one is chosen elsewhere. */
  readonly onItem?: (item: number) => void;
}

const KINDS: Readonly<Record<LoopKind, string>> = { item: 'Item', page: 'Page', round: 'Round', step: 'Step' };

/** What a layer was given, each value with the expression that it comes from. */
export function Input({ playId, layer, kind = null, item, onItem }: InputProps) {
  const { data, error, refetch } = useQuery({
    ...inputQuery(playId, layer, item),
    placeholderData: keepPreviousData,
  });
  const chooser = onItem && (data?.item != null || item !== undefined) && (
    <TextInput
      type="number"
      label={`${KINDS[kind ?? 'item']}, counted from 0`}
      min={0}
      w={200}
      value={item ?? data?.item ?? 0}
      onChange={({ currentTarget: { value, validity } }) => value !== '' && validity.valid && onItem(Number(value))}
    />
  );
  return (
    <div className={classes.input}>
      {chooser}
      {error ? (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <Known input={data} layer={layer} />
      ) : (
        <p className="soft">Reading …</p>
      )}
    </div>
  );
}

function Known({ input, layer }: { readonly input: LayerInput; readonly layer: PlayLayer }) {
  const whole = input.unresolved.find(({ path }) => path === '');
  if (whole) return <p className="soft">{whole.reason}</p>;
  return (
    <>
      {input.label !== null && <p className="soft">{itemText(input)}</p>}
      <ValueTree
        value={input.args}
        label={`Input of ${layer.ref}`}
        notes={notesOf(input)}
        failingText={layer.error?.message}
      />
      {input.curl !== null && <CopyButton text={input.curl}>Copy as curl</CopyButton>}
    </>
  );
}

function notesOf({ expressions, unresolved }: LayerInput): ReadonlyMap<string, Note> {
  const faults = new Map(unresolved.map(({ path, reason }) => [path, reason]));
  return new Map(
    Object.entries(expressions).map(([path, text]) => {
      const fault = faults.get(path);
      return [path, { text, ...(fault !== undefined && { fault }) }];
    }),
  );
}

/** Which item it is, of how many, and what tells it from the others: `item 2 of 5: order 104`. */
export function itemText({ item, of, label }: Pick<LayerInput, 'item' | 'of' | 'label'>): string {
  return `item ${item ?? 0}${of === null ? '' : ` of ${of}`}${label === null ? '' : `: ${label}`}`;
}
