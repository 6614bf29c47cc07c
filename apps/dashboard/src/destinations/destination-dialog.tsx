import { NumberInput, Select, TextInput } from '@mantine/core';
import { faultOf } from '../api/refusal';
import { FormDialog } from '../ui/form-dialog';
import { useFields } from '../ui/use-fields';
import { useSave } from '../ui/use-command';
import { rateLimit } from '../ui/bounds.json' with { type: 'json' };
import { DESTINATIONS_KEY, pause, setLimit, type Destination, type RateLimit } from './queries';
import classes from '../ui/form.module.css';

const PERIODS: readonly RateLimit['per'][] = ['second', 'minute', 'hour'];

interface LimitForm {
  readonly id: string;
  readonly limit: number | '';
  readonly per: RateLimit['per'];
}

interface DestinationDialogProps {
  /** Left out: one that is not in the list; nothing calls it when no limit is given. */
  readonly destination?: Destination | undefined;
  readonly onClose: () => void;
}

/** The rate limit of a destination. */
export function DestinationDialog({ destination, onClose }: DestinationDialogProps) {
  const known = destination?.rate_limit;
  const { form, set, isDirty } = useFields<LimitForm>(() => ({
    id: destination?.id ?? '',
    limit: known?.limit ?? '',
    per: known?.per ?? 'second',
  }));
  const pauses = !destination && form.limit === '';
  const id = form.id.trim();
  const save = useSave({
    send: () => (pauses ? pause(id) : setLimit(id, form.limit === '' ? null : { limit: form.limit, per: form.per })),
    stales: DESTINATIONS_KEY,
    says: () => (pauses ? `${id} is paused.` : `The limit of ${id} is saved.`),
    onClose,
  });
  return (
    <FormDialog
      title={destination ? `Limit ${destination.id}` : 'Limit or pause a destination'}
      help="docs/destinations.md"
      action={pauses ? 'Pause it' : 'Save'}
      isReady={id !== ''}
      isPending={save.isPending}
      isDirty={isDirty}
      error={save.error}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      {!destination && (
        <TextInput
          label="Host and port"
          description="As flows call it, whether it is known or not."
          required
          spellCheck={false}
          placeholder="api.example.com:443"
          value={form.id}
          onChange={(event) => set({ id: event.currentTarget.value })}
        />
      )}
      <div className={classes.two}>
        <NumberInput
          label="Calls"
          description={destination ? 'At most. Empty: no limit.' : 'At most. Empty: none, it is paused.'}
          {...rateLimit.limit}
          allowDecimal={false}
          value={form.limit}
          error={faultOf(save.error, 'rate_limit.limit')}
          onChange={(value) => set({ limit: value === '' ? '' : Number(value) })}
        />
        <Select
          label="In each"
          description="Over all workers."
          allowDeselect={false}
          data={[...PERIODS]}
          value={form.per}
          onChange={(per) => set({ per: PERIODS.find((each) => each === per) ?? form.per })}
        />
      </div>
    </FormDialog>
  );
}
