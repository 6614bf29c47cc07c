import { Button } from '@mantine/core';
import { atLeast } from '@weft/access';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { answerOf, api } from '../api/client';
import { flowQuery } from '../flow/queries';
import { rightsOn } from '../flow/rights';
import { may, useMe } from '../session/me';
import { Confirm } from '../ui/confirm';
import { showError } from '../ui/show-error';
import type { Schedule } from './queries';
import classes from '../ui/form.module.css';

interface ScheduleCommandsProps {
  readonly schedule: Schedule;
  readonly onEdit: () => void;
  readonly onDeleted: () => void;
}

/** docs/http-api.md §7: who may execute the flow, by role or by a grant, runs a schedule once more; editors among them change it. */
export function ScheduleCommands({ schedule, onEdit, onDeleted }: ScheduleCommandsProps) {
  const me = useMe();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isDeleting, setDeleting] = useState(false);
  const path = { params: { path: { id: schedule.id } } };
  const refresh = () => queries.invalidateQueries({ queryKey: ['schedules'] });
  const run = useMutation({
    mutationFn: () => answerOf(api.POST('/api/v1/scheduler/jobs/{id}/run', path)),
    onError: showError,
    onSuccess: ({ playId }) => void navigate({ to: '/plays/$playId', params: { playId } }),
  });
  const change = useMutation({
    mutationFn: (enabled: boolean) =>
      answerOf(api.PATCH('/api/v1/scheduler/jobs/{id}', { ...path, body: { enabled } })),
    onError: showError,
    onSettled: refresh,
  });
  const remove = useMutation({
    mutationFn: () => answerOf(api.DELETE('/api/v1/scheduler/jobs/{id}', path)),
    onError: showError,
    onSuccess: onDeleted,
    onSettled: refresh,
  });
  const { data: flow } = useQuery(flowQuery(schedule.flow_id));
  if (!flow || !rightsOn(me, flow).execute) return null;
  return (
    <div className={classes.buttons}>
      <Button variant="default" loading={run.isPending} onClick={() => run.mutate()}>
        Run now
      </Button>
      {may(me, atLeast('editor')) && (
        <>
          <Button variant="default" loading={change.isPending} onClick={() => change.mutate(!schedule.enabled)}>
            {schedule.enabled ? 'Pause' : 'Resume'}
          </Button>
          <Button variant="default" onClick={onEdit}>
            Edit …
          </Button>
          <Button variant="default" color="red" onClick={() => setDeleting(true)}>
            Delete …
          </Button>
        </>
      )}
      {isDeleting && (
        <Confirm
          title="Delete this schedule?"
          action="Delete"
          onConfirm={() => remove.mutate()}
          onClose={() => setDeleting(false)}
        >
          Its plays stay. It cannot be taken back; pausing it can.
        </Confirm>
      )}
    </div>
  );
}
