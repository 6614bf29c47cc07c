import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { answerOf, api } from '../api/client';
import { durationText } from '../ui/duration';
import { StateBadge } from '../ui/state-badge';
import { Paged } from '../ui/paged';
import { usePages } from '../ui/use-pages';
import { ValueTree } from '../values/value-tree';
import { Input } from './input';
import type { LoopKind } from './loop-kind';
import { inputQuery, playKey, type LoopItem, type PlayLayer } from './queries';
import { withoutTwin } from './without-twin';
import classes from './play.module.css';

interface ItemsProps {
  readonly playId: string;
  readonly layer: PlayLayer;
  readonly kind: Exclude<LoopKind, 'step'>;
}

const SIZE = 50;
const NOUNS = { item: 'Item', page: 'Page', round: 'Round' } as const;

/** What became of each item, page or round that has ended: those that failed come first. */
export function Items({ playId, layer, kind }: ItemsProps) {
  const failed = useItems(playId, layer.ref, 'false');
  const all = useItems(playId, layer.ref);
  const of = useQuery(inputQuery(playId, layer, undefined)).data?.of ?? null;
  const others = all.items?.filter(({ ok }) => ok !== false);
  if (failed.items?.length === 0 && all.items?.length === 0) {
    const isLast = kind === 'round' && layer.state === 'DONE';
    return <p className="soft">{isLast ? 'Only the output of the last round is kept.' : 'None has ended yet.'}</p>;
  }
  return (
    <div className={classes.items}>
      {all.items && (
        <p className="soft">
          {failed.total} failed; {all.total}
          {of === null ? '' : ` of ${of}`} {of === null && all.total === '1' ? 'is' : 'are'} listed.
        </p>
      )}
      <Paged pages={failed}>
        {(items) => items.map((item) => <Item key={item.index} {...{ playId, layer, kind, item }} />)}
      </Paged>
      <Paged pages={{ ...all, items: others ?? null }}>
        {(items) => items.map((item) => <Item key={item.index} {...{ playId, layer, kind, item }} />)}
      </Paged>
    </div>
  );
}

function useItems(id: string, ref: string, ok?: 'false') {
  return usePages<LoopItem>([...playKey(id), 'items', ref, ok ?? 'all'], (cursor) => {
    const query = { size: SIZE, ...cursor, ...(ok && { ok }) };
    return answerOf(api.GET('/api/v1/plays/{id}/layers/{ref}/items', { params: { path: { id, ref }, query } }));
  });
}

function Item({ playId, layer, kind, item }: ItemsProps & { readonly item: LoopItem }) {
  const [isOpen, setOpen] = useState(false);
  const { index, ok, error, attempts, state } = item;
  const took = durationIn(item.out);
  return (
    <details className={classes.item} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span className={classes.index}>
          {NOUNS[kind]} {index}
        </span>
        <StateBadge state={ok === null ? (state ?? 'RUN') : ok ? 'DONE' : 'FAIL'} />
        {error && <span className={classes.reason}>{error.message}</span>}
        {attempts !== null && attempts > 1 && <span className="soft">{attempts} attempts</span>}
        {took !== null && <span className="soft num">{durationText(took)}</span>}
      </summary>
      {isOpen && <Opened {...{ playId, layer, kind, item }} />}
    </details>
  );
}

/** How long a request took, as its output says. */
function durationIn(out: unknown): number | null {
  if (typeof out !== 'object' || out === null || !('durationMs' in out)) return null;
  return typeof out.durationMs === 'number' ? out.durationMs : null;
}

function Opened({ playId, layer, kind, item }: ItemsProps & { readonly item: LoopItem }) {
  const { index, out, error, playId: child } = item;
  const name = `${kind} ${index} of ${layer.ref}`;
  return (
    <>
      {child && (
        <Link to="/plays/$playId" params={{ playId: child }}>
          Open the play that it started
        </Link>
      )}
      {error && (
        <div className={classes.failure}>
          <strong>{error.code}</strong>
          <pre>{error.message}</pre>
        </div>
      )}
      <Tabs defaultValue="output" keepMounted={false} variant="pills">
        <Tabs.List aria-label={`Of ${name}`}>
          <Tabs.Tab value="output">Output</Tabs.Tab>
          <Tabs.Tab value="input">Input</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="output" pt="sm">
          {out === null ? (
            <p className="soft">It has given nothing.</p>
          ) : (
            <ValueTree value={withoutTwin(out)} label={`Output of ${name}`} />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="input" pt="sm">
          <Input playId={playId} layer={layer} item={index} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
