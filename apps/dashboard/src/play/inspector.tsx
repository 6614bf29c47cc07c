import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, memo, Suspense } from 'react';
import type { Play } from '../plays/play';
import { CopyText } from '../ui/copy-text';
import { Help } from '../ui/help';
import { isReference } from '../values/reference';
import { StateBadge } from '../ui/state-badge';
import { ValueTree } from '../values/value-tree';
import { firstTab } from './first-tab';
import { Input, itemText } from './input';
import { Output } from './output';
import { Items } from './items';
import { loopKindOf } from './loop-kind';
import { inputQuery, versionQuery, type PlayLayer } from './queries';
import { reasonOf } from './reason';
import { UseAsSample } from './use-as-sample';
import classes from './play.module.css';

const Transcript = lazy(async () => ({ default: (await import('./transcript')).Transcript }));

interface InspectorProps {
  readonly play: Play;
  readonly layer: PlayLayer;
  /** Of its failed attempts, in order. */
  readonly failures: readonly string[];
  readonly isPast: boolean;
  /** Of a loop, whose input is shown; undefined: of the one that failed, else the first. */
  readonly item: number | undefined;
  readonly onItem: (item: number) => void;
}

/** One layer: the error first, then what it gave, what it was given, and its attempts. */
export const Inspector = memo(function Inspector({ play, layer, failures, isPast, item, onItem }: InspectorProps) {
  const version = useQuery(versionQuery(play.flowId, play.version));
  const definition = version.data?.layers?.find(({ ref }) => ref === layer.ref);
  const child = childOf(layer);
  const reason = reasonOf(layer.out);
  const kind = definition ? loopKindOf(definition) : null;
  return (
    <section className={`panel ${classes.inspector}`} aria-label={`Layer ${layer.ref}`}>
      <div className={classes.title}>
        <h2 dir="auto">{layer.name}</h2>
        {layer.name !== layer.ref && <code>{layer.ref}</code>}
        <StateBadge state={layer.state} />
        <span className="soft">{layer.appId}</span>
        {child && (
          <Link to="/plays/$playId" params={{ playId: child }}>
            Open the play that it started
          </Link>
        )}
      </div>
      {layer.error && (
        <div className={classes.failure} role="alert">
          <strong>{layer.error.code}</strong>{' '}
          <Help at={`docs/layers.md#${layer.appId}`} about={`failures of ${layer.appId}`} />
          {kind === 'item' && <FailedItem playId={play.id} layer={layer} />}
          <pre>{layer.error.message}</pre>
          {reason !== null && !layer.error.message.includes(reason) && <p dir="auto">{reason}</p>}
        </div>
      )}
      <Tabs defaultValue={firstTab(layer)} keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="output">Output</Tabs.Tab>
          <Tabs.Tab value="input">Input</Tabs.Tab>
          <Tabs.Tab value="attempts">Attempts{layer.attempts > 1 ? ` (${layer.attempts})` : ''}</Tabs.Tab>
          {kind && <Tabs.Tab value="items">{TABS[kind]}</Tabs.Tab>}
          <Tabs.Tab value="play">Arguments</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="output" pt="sm">
          <Output playId={play.id} layer={layer} />
          {layer.state === 'DONE' && layer.out !== null && !isReference(layer.out) && (
            <UseAsSample key={layer.ref} flowId={play.flowId} at={layer.ref} out={layer.out} />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="input" pt="sm">
          <Input playId={play.id} layer={layer} kind={kind} item={item} onItem={onItem} />
        </Tabs.Panel>
        <Tabs.Panel value="attempts" pt="sm">
          <Attempts layer={layer} failures={failures} isPast={isPast} />
        </Tabs.Panel>
        {kind && (
          <Tabs.Panel value="items" pt="sm">
            {kind === 'step' ? (
              <Suspense>
                <Transcript playId={play.id} layer={layer} />
              </Suspense>
            ) : (
              <Items playId={play.id} layer={layer} kind={kind} />
            )}
          </Tabs.Panel>
        )}
        <Tabs.Panel value="play" pt="sm">
          <ValueTree value={play.args ?? {}} label="Arguments of the run" expression="$prev.args" />
        </Tabs.Panel>
      </Tabs>
    </section>
  );
});

const TABS = { item: 'Items', page: 'Pages', round: 'Rounds', step: 'Transcript' } as const;

/** Which item failed, in words that tell it from the others. */
function FailedItem({ playId, layer }: { readonly playId: string; readonly layer: PlayLayer }) {
  const { data } = useQuery(inputQuery(playId, layer, undefined));
  return data?.label == null ? null : <p>{itemText(data)}</p>;
}

function Attempts({ layer, failures, isPast }: Pick<InspectorProps, 'layer' | 'failures' | 'isPast'>) {
  if (layer.attempts === 0) return <p className="soft">It was not called{isPast ? ' yet' : ''}.</p>;
  return (
    <ol className={classes.attempts}>
      {failures.map((message, i) => (
        <li key={i}>
          failed: <CopyText text={message} />
        </li>
      ))}
      {layer.state === 'DONE' && <li>ended well</li>}
      {layer.state === 'RUN' && <li>runs</li>}
      {layer.state === 'DEFERRED' && <li>comes after a pause</li>}
    </ol>
  );
}

function childOf({ appId, out }: PlayLayer): string | null {
  if (appId !== 'run-flow' || typeof out !== 'object' || out === null || !('playId' in out)) return null;
  return typeof out.playId === 'string' ? out.playId : null;
}
