import { Select, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { faultOf } from '../api/refusal';
import { FormDialog } from '../ui/form-dialog';
import { useFields } from '../ui/use-fields';
import { JsonField } from '../ui/json-field';
import { jsonText, pairsText, readObject, readPairs } from '../values/json-text';
import { cronWords } from './cron-words';
import { FlowSelect } from './flow-select';
import { NextSlots } from './next-slots';
import type { Schedule, ScheduleBody } from './queries';
import classes from '../ui/form.module.css';

const OVERLAP: { value: Schedule['overlap']; label: string }[] = [
  { value: 'skip', label: 'Skip the slot' },
  { value: 'queue', label: 'Wait for its turn' },
  { value: 'allow', label: 'Run beside it' },
];
const MISSED: { value: Schedule['missed']; label: string }[] = [
  { value: 'last', label: 'Make up for the latest' },
  { value: 'all', label: 'Make up for all' },
  { value: 'none', label: 'Drop them' },
];
/** Typing is over after this. */
const TYPED_MS = 300;

interface ScheduleFormProps {
  /** Of the new schedule; chosen in the form without it. */
  readonly flowId?: string | undefined;
  /** Changed; a new one is made without it. */
  readonly schedule?: Schedule | undefined;
  readonly onClose: () => void;
}

export function ScheduleForm({ flowId, schedule, onClose }: ScheduleFormProps) {
  const queries = useQueryClient();
  const { form, set, isDirty } = useFields(() => formOf(schedule, flowId));
  const args = readObject(form.args);
  const labels = readPairs(form.labels);
  const save = useMutation({
    mutationFn: (body: ScheduleBody) => {
      if (!schedule) return answerOf(api.POST('/api/v1/scheduler/jobs', { body }));
      return answerOf(api.PATCH('/api/v1/scheduler/jobs/{id}', { params: { path: { id: schedule.id } }, body }));
    },
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['schedules'] });
      onClose();
    },
  });
  const submit = (): void => {
    if ('fault' in args || 'fault' in labels || form.flow_id === null) return;
    save.mutate({ ...form, flow_id: form.flow_id, args: args.value, labels: labels.value });
  };
  const error = (field: string): string | undefined => faultOf(save.error, field);
  return (
    <FormDialog
      title={schedule ? 'Change the schedule' : 'New schedule'}
      help="docs/schedules.md"
      action={schedule ? 'Save' : 'Make the schedule'}
      isReady={form.flow_id !== null && form.schedule.trim() !== '' && 'value' in args && 'value' in labels}
      isPending={save.isPending}
      isDirty={isDirty}
      error={save.error}
      onSubmit={submit}
      onClose={onClose}
    >
      {flowId === undefined && !schedule && (
        <FlowSelect value={form.flow_id} onChange={(flow_id) => set({ flow_id })} error={error('flow_id')} />
      )}
      <div className={classes.two}>
        <TextInput
          label="Schedule"
          description="Minute, hour, day of month, month, day of week."
          required
          data-autofocus
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          value={form.schedule}
          error={error('schedule')}
          onChange={(event) => set({ schedule: event.currentTarget.value })}
        />
        <Select
          label="Time zone"
          description="Of these fields."
          searchable
          limit={60}
          data={zones()}
          value={form.timezone}
          error={error('timezone')}
          onChange={(timezone) => set({ timezone: timezone ?? form.timezone })}
        />
      </div>
      <Meaning schedule={form.schedule} timezone={form.timezone} />
      <JsonField label="Arguments" value={form.args} onChange={(text) => set({ args: text })} error={error('args')} />
      <Textarea
        label="Labels"
        description="Of each play, one a line, key=value."
        autosize
        minRows={1}
        value={form.labels}
        error={'fault' in labels ? labels.fault : error('labels')}
        onChange={(event) => set({ labels: event.currentTarget.value })}
      />
      <div className={classes.two}>
        <Select
          label="While a run is open"
          data={OVERLAP}
          value={form.overlap}
          onChange={(value) => set({ overlap: value ?? form.overlap })}
        />
        <Select
          label="Missed slots"
          data={MISSED}
          value={form.missed}
          onChange={(value) => set({ missed: value ?? form.missed })}
        />
        <TextInput
          label="Made up for within"
          description="Days, months or years, such as 1d, 2m or 1y."
          disabled={form.missed === 'none'}
          value={form.missed_window}
          error={error('missed_window')}
          onChange={(event) => set({ missed_window: event.currentTarget.value })}
        />
      </div>
    </FormDialog>
  );
}

/** What was typed, in words, and when it would run. */
function Meaning({ schedule, timezone }: { readonly schedule: string; readonly timezone: string }) {
  const [settled] = useDebouncedValue(schedule.trim(), TYPED_MS);
  if (settled.split(/\s+/).length !== 5) return <p className="soft">Five fields, such as 30 6 * * 1-5.</p>;
  const words = cronWords(settled);
  return (
    <div aria-live="polite">
      {words !== null && <p>Runs {words}.</p>}
      <NextSlots schedule={settled} timezone={timezone} />
    </div>
  );
}

interface Form extends Pick<Schedule, 'schedule' | 'timezone' | 'overlap' | 'missed' | 'missed_window'> {
  readonly flow_id: string | null;
  readonly args: string;
  readonly labels: string;
}

function formOf(schedule: Schedule | undefined, flowId: string | undefined): Form {
  return {
    flow_id: schedule?.flow_id ?? flowId ?? null,
    schedule: schedule?.schedule ?? '',
    timezone: schedule?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    overlap: schedule?.overlap ?? 'skip',
    missed: schedule?.missed ?? 'last',
    missed_window: schedule?.missed_window ?? '1d',
    args: jsonText(schedule?.args ?? {}),
    labels: pairsText(schedule?.labels ?? {}),
  };
}

const zones = (): string[] => [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];
