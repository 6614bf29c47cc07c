import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client';
import { ErrorNotice } from '../../ui/error-notice';
import { Table } from '../../ui/table';
import type { Flow } from '../queries';
import { changedFields, formOf, type SettingsForm } from './settings-form';
import classes from '../../ui/form.module.css';

interface ConflictProps {
  readonly flowId: string;
  readonly before: SettingsForm;
  readonly mine: Partial<SettingsForm>;
  readonly onTakeTheirs: (now: Flow) => void;
  readonly onKeepMine: (now: Flow) => void;
}

/** Somebody else changed the flow since it was read: what they changed, and what was typed here. */
export function Conflict({ flowId, before, mine, onTakeTheirs, onKeepMine }: ConflictProps) {
  const { data: now, error } = useQuery({
    queryKey: ['flow', flowId, 'conflict'],
    gcTime: 0,
    queryFn: () => answerOf(api.GET('/api/v1/flows/{id}', { params: { path: { id: flowId } } })),
  });
  if (error) return <ErrorNotice error={error} />;
  if (!now) return <Skeleton height={80} />;
  const theirs = formOf(now);
  const fields = new Set([...changedFields(before, theirs), ...(Object.keys(mine) as (keyof SettingsForm)[])]);
  return (
    <div role="alert">
      <p>Somebody else has changed this flow since you opened it. It is version {now.version} now.</p>
      <Table
        caption="Both changes"
        hideCaption
        columns={['Field', 'Theirs', 'Yours']}
        rows={[...fields].map((field) => ({
          key: field,
          cells: [
            field,
            String(theirs[field]),
            field in mine ? String(mine[field]) : <span className="soft">as theirs</span>,
          ],
        }))}
      />
      <div className={classes.buttons}>
        <Button onClick={() => onKeepMine(now)}>Keep mine in these fields</Button>
        <Button variant="default" onClick={() => onTakeTheirs(now)}>
          Take theirs
        </Button>
      </div>
    </div>
  );
}
