import { Button } from '@mantine/core';
import { useState } from 'react';
import { Mark } from '../flows/flow-marks';
import { EmptyState } from '../ui/empty-state';
import { Page } from '../ui/page';
import { Paged } from '../ui/paged';
import { Table } from '../ui/table';
import { Time } from '../ui/time';
import { useCommand } from '../ui/use-command';
import { DestinationDialog } from './destination-dialog';
import { DESTINATIONS_KEY, pause, release, useDestinations, type Destination } from './queries';
import classes from '../ui/form.module.css';

const STATES: Readonly<Record<Destination['state'], readonly ['plain' | 'off' | 'bad', string]>> = {
  up: ['plain', 'Up'],
  down: ['bad', 'Down'],
  paused: ['off', 'Paused'],
  recovering: ['plain', 'Recovering'],
};

/** Whom the flows of the company call, as far as it is limited or not just up. */
export function DestinationsPage() {
  const pages = useDestinations();
  const [open, setOpen] = useState<Destination | 'another' | null>(null);
  const another = <Button onClick={() => setOpen('another')}>Limit or pause …</Button>;
  return (
    <Page title="Destinations" help="docs/destinations.md" aside={pages.items && pages.items.length > 0 && another}>
      <Paged pages={pages}>
        {(destinations) =>
          destinations.length === 0 ? (
            <EmptyState title="No destination is limited, paused or down">
              <p>
                A destination is a host and port that flows call. Limit how often, or let nothing through for a while.
              </p>
              {another}
            </EmptyState>
          ) : (
            <Destinations destinations={destinations} onLimit={setOpen} />
          )
        }
      </Paged>
      {open !== null && (
        <DestinationDialog destination={open === 'another' ? undefined : open} onClose={() => setOpen(null)} />
      )}
    </Page>
  );
}

interface DestinationsProps {
  readonly destinations: readonly Destination[];
  readonly onLimit: (destination: Destination) => void;
}

function Destinations({ destinations, onLimit }: DestinationsProps) {
  return (
    <Table
      caption="Destinations"
      hideCaption
      isFlush
      columns={['Destination', 'State', 'Since', 'Plays that wait', 'Limit', '']}
      wide={[2]}
      rows={destinations.map((destination) => ({
        key: destination.id,
        cells: [
          <span key="id" style={{ overflowWrap: 'anywhere' }}>
            {destination.id}
          </span>,
          <State key="state" destination={destination} />,
          <Time key="since" at={destination.since} />,
          destination.parked.toLocaleString(),
          limitText(destination),
          <Commands key="commands" destination={destination} onLimit={() => onLimit(destination)} />,
        ],
      }))}
    />
  );
}

function State({ destination: { state, failureShare, nextProbe } }: { readonly destination: Destination }) {
  const [kind, word] = STATES[state];
  const share = failureShare === null ? undefined : `${Math.round(failureShare * 100)} % of the calls failed`;
  return (
    <span className={classes.row}>
      <Mark kind={kind} title={share}>
        {word}
      </Mark>
      {nextProbe !== null && (
        <span className="soft">
          tried <Time at={nextProbe} />
        </span>
      )}
    </span>
  );
}

function limitText({ rate_limit: rate }: Destination): string {
  return rate ? `${rate.limit.toLocaleString()} a ${rate.per}` : '–';
}

interface CommandsProps {
  readonly destination: Destination;
  readonly onLimit: () => void;
}

function Commands({ destination: { id, state }, onLimit }: CommandsProps) {
  const stales = DESTINATIONS_KEY;
  const stop = useCommand({ send: () => pause(id), stales, says: () => `Nothing calls ${id} until it is released.` });
  const free = useCommand({ send: () => release(id), stales, says: () => `Calls of ${id} come back in steps.` });
  const isOut = state === 'paused' || state === 'down';
  return (
    <span className={classes.row}>
      <Button size="compact-sm" variant="default" aria-label={`Limit ${id}`} onClick={onLimit}>
        Limit …
      </Button>
      {isOut && (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Release ${id}`}
          loading={free.isPending}
          onClick={() => free.mutate()}
        >
          Release
        </Button>
      )}
      {state !== 'paused' && (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Pause ${id}`}
          loading={stop.isPending}
          onClick={() => stop.mutate()}
        >
          Pause
        </Button>
      )}
    </span>
  );
}
