import { NumberInput, TextInput } from '@mantine/core';
import { answerOf, api } from '../../api/client';
import { faultOf } from '../../api/refusal';
import { FormDialog } from '../../ui/form-dialog';
import { useSave } from '../../ui/use-command';
import { useFields } from '../../ui/use-fields';
import { COMPANIES_KEY, type Company } from './company';

const MEGABYTE = 1_000_000;

interface LimitsDialogProps {
  readonly company: Company;
  readonly onClose: () => void;
}

/** What a company may start, keep waiting and store, and who executes its plays. */
export function LimitsDialog({ company, onClose }: LimitsDialogProps) {
  const { form, set, isDirty } = useFields<
    Record<'backlog' | 'rate' | 'megabytes', number | string> & { readonly label: string }
  >(() => ({
    backlog: company.backlog_max ?? '',
    rate: company.runs_per_second ?? '',
    label: company.worker_label ?? '',
    megabytes: company.bytes_max === null ? '' : company.bytes_max / MEGABYTE,
  }));
  const save = useSave({
    send: () => {
      const numberOf = (value: number | string) => (value === '' ? null : Number(value));
      const megabytes = numberOf(form.megabytes);
      const body = {
        backlog_max: numberOf(form.backlog),
        runs_per_second: numberOf(form.rate),
        worker_label: form.label === '' ? null : form.label,
        bytes_max: megabytes === null ? null : Math.round(megabytes * MEGABYTE),
      };
      return answerOf(api.PATCH('/api/v1/companies/{id}', { params: { path: { id: company.id } }, body }));
    },
    stales: COMPANIES_KEY,
    says: () => `Saved: the limits of “${company.name}”.`,
    onClose,
  });
  return (
    <FormDialog
      title={`Limits and workers of “${company.name}”`}
      action="Save"
      size="sm"
      isPending={save.isPending}
      isDirty={isDirty}
      error={save.error}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <p className="soft">What is over a limit is refused with 429, and may be sent again later.</p>
      <NumberInput
        label="Runs a second"
        description="Ten seconds of it may come at once. Empty: any number."
        min={1}
        allowDecimal={false}
        value={form.rate}
        error={faultOf(save.error, 'runs_per_second')}
        onChange={(rate) => set({ rate })}
      />
      <NumberInput
        label="Plays that may wait"
        description="Empty: as the installation says."
        min={1}
        allowDecimal={false}
        value={form.backlog}
        error={faultOf(save.error, 'backlog_max')}
        onChange={(backlog) => set({ backlog })}
      />
      <NumberInput
        label="Megabytes stored"
        description="Files and large values. Empty: any number."
        min={0.000001}
        value={form.megabytes}
        error={faultOf(save.error, 'bytes_max')}
        onChange={(megabytes) => set({ megabytes })}
      />
      <TextInput
        label="Label of its workers"
        description="Only workers with this label (WORKER_LABEL) execute its plays; while none runs, they wait. Empty: workers without a label."
        maxLength={30}
        value={form.label}
        error={faultOf(save.error, 'worker_label')}
        onChange={({ currentTarget }) => set({ label: currentTarget.value })}
      />
    </FormDialog>
  );
}
