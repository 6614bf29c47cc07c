import { Button, Modal, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { differences } from '../compare/differences';
import { entriesOf, isBranch, pathText, previewOf } from '../values/tree-model';
import { draftOf, fieldsOf, type DraftLayer, type Flow, type Layers } from './draft';
import { compared, merged, type Conflict, type Side } from './merge';
import classes from './panels.module.css';

interface ConflictDialogProps {
  readonly base: Layers;
  readonly mine: Layers;
  readonly theirs: Flow;
  /** @param layers of both; null: it stays undecided */
  readonly onSettle: (layers: Layers | null) => void;
}

/** Somebody else saved meanwhile. Layer by layer: theirs, or mine. */
export function ConflictDialog({ base, mine, theirs, onSettle }: ConflictDialogProps) {
  const [choices, setChoices] = useState<ReadonlyMap<string, Side>>(new Map());
  const versions = { base, mine, theirs: draftOf(theirs) };
  const { conflicts, theirsAlone, order } = compared(versions);
  return (
    <Modal opened onClose={() => onSettle(null)} title={`Somebody else saved version ${theirs.version}`} size="xl">
      <div className={classes.conflicts}>
        {theirsAlone.length > 0 && (
          <p>
            Only they changed <code>{theirsAlone.join(', ')}</code>: that is taken over.
          </p>
        )}
        {order === 'theirs' && <p>They changed the order of the layers: that is taken over.</p>}
        {order === 'both' && <p>Both of you changed the order of the layers: yours is kept.</p>}
        {conflicts.length === 0 && order !== 'both' && <p>You changed other layers than they did: nothing is lost.</p>}
        {conflicts.map((conflict) => (
          <OneLayer
            key={conflict.name}
            conflict={conflict}
            side={choices.get(conflict.name) ?? 'mine'}
            onSide={(side) => setChoices(new Map([...choices, [conflict.name, side]]))}
          />
        ))}
        <div className={classes.buttons}>
          <Button onClick={() => onSettle(merged(versions, choices))}>Put both together</Button>
          <Button variant="default" onClick={() => onSettle(null)}>
            Not now
          </Button>
        </div>
        <p className="soft">Nothing is saved by this: look at the result, then save it.</p>
      </div>
    </Modal>
  );
}

interface OneLayerProps {
  readonly conflict: Conflict;
  readonly side: Side;
  readonly onSide: (side: Side) => void;
}

function OneLayer({ conflict: { base, mine, theirs }, side, onSide }: OneLayerProps) {
  const ref = (mine ?? theirs ?? base)?.ref ?? '';
  const rows = mine && theirs ? differences(fieldsOf(theirs), fieldsOf(mine)) : [];
  return (
    <section className={classes.conflict} aria-label={`Layer ${ref}`}>
      <div className={classes.line}>
        <h3>
          <code>{ref}</code>
        </h3>
        <SegmentedControl
          aria-label={`Which ${ref}`}
          data={[
            { value: 'theirs', label: 'Theirs' },
            { value: 'mine', label: 'Yours' },
          ]}
          value={side}
          onChange={(next) => onSide(next === 'theirs' ? 'theirs' : 'mine')}
        />
      </div>
      {(mine === null || theirs === null) && (
        <p>
          They {deed(base, theirs)} it; you {deed(base, mine)} it.
        </p>
      )}
      <dl className={classes.sides}>
        {rows.map(({ path, before, after }) => (
          <div key={pathText(path)}>
            <dt>
              <code>{pathText(path).slice(1)}</code>
            </dt>
            <dd data-chosen={side === 'theirs' || undefined}>
              <span className="soft">theirs</span> {shown(before)}
            </dd>
            <dd data-chosen={side === 'mine' || undefined}>
              <span className="soft">yours</span> {shown(after)}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function deed(base: DraftLayer | null, now: DraftLayer | null): string {
  if (now === null) return 'deleted';
  return base === null ? 'added' : 'changed';
}

function shown(value: unknown): string {
  return value === undefined ? 'absent' : previewOf(value, isBranch(value) ? entriesOf(value).length : null);
}
