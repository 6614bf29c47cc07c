import { Button, Progress, SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { flowNamesQuery } from '../../flows/flow-names';
import { Dialog } from '../../ui/dialog';
import { ErrorNotice } from '../../ui/error-notice';
import type { PlaysSearch } from '../plays-search';
import { readPlays } from '../read-plays';
import { MAX_EXPORTED, readAll } from './read-all';
import { headOf, linesOf, type ExportFormat } from './play-file';
import classes from '../plays.module.css';

interface ExportDialogProps {
  readonly search: PlaysSearch;
  readonly onClose: () => void;
}

const FORMATS = [
  { value: 'csv', label: 'CSV' },
  { value: 'ndjson', label: 'NDJSON' },
];

/** A file of all plays that match, made here from the pages of the list. */
export function ExportDialog({ search, onClose }: ExportDialogProps) {
  const { data: names } = useQuery(flowNamesQuery);
  const [format, setFormat] = useState<ExportFormat>('csv');
  const [progress, setProgress] = useState<{ readonly read: number; readonly total: number } | null>(null);
  const [end, setEnd] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);

  const make = async (): Promise<void> => {
    const { signal } = (stop.current = new AbortController());
    const parts = [headOf(format)];
    let count = 0;
    setEnd(null);
    setError(null);
    setProgress({ read: 0, total: 0 });
    try {
      for await (const { items, total } of readAll((place) => readPlays(search, place), signal)) {
        parts.push(linesOf(format, items, (id) => names?.get(id) ?? id));
        setProgress({ read: (count += items.length), total });
      }
      if (signal.aborted) return;
      save(new Blob(parts), `plays.${format}`);
      setEnd(`${count.toLocaleString()} plays are in the file.${count >= MAX_EXPORTED ? ` ${BOUNDED}` : ''}`);
    } catch (thrown) {
      setError(thrown);
    } finally {
      stop.current = null;
      setProgress(null);
    }
  };
  const halt = (): void => {
    stop.current?.abort();
    setEnd('Stopped: no file was made.');
  };
  return (
    <Dialog onClose={onClose} title="Export what the list shows">
      <div className={classes.form}>
        <p className="soft">
          All plays that match the filter, in the order of the list; {MAX_EXPORTED.toLocaleString()} at the most.
        </p>
        <SegmentedControl
          aria-label="Format"
          data={FORMATS}
          value={format}
          disabled={progress !== null}
          onChange={(value) => setFormat(value === 'csv' ? 'csv' : 'ndjson')}
        />
        {progress && (
          <>
            <Progress
              aria-label="How far it is"
              value={progress.total === 0 ? 0 : (progress.read / Math.min(progress.total, MAX_EXPORTED)) * 100}
            />
            <p role="status" className="num">
              {progress.read.toLocaleString()} read …
            </p>
          </>
        )}
        {end !== null && <p role="status">{end}</p>}
        {error !== null && <ErrorNotice error={error} />}
        {progress ? (
          <Button variant="default" onClick={halt}>
            Stop
          </Button>
        ) : (
          <Button data-autofocus onClick={() => void make()}>
            Make the file
          </Button>
        )}
      </div>
    </Dialog>
  );
}

const BOUNDED = 'There are more: narrow the filter, for example by time.';

function save(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // not at once: the browser reads it after the click
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
