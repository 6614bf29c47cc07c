import { Button, Checkbox, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client';
import { faultOf } from '../../api/refusal';
import { ErrorNotice } from '../../ui/error-notice';
import { FormDialog } from '../../ui/form-dialog';
import { useFields } from '../../ui/use-fields';
import { JsonField } from '../../ui/json-field';
import { jsonText, readObject } from '../../values/json-text';
import { casesKey, dryRun } from './queries';
import type { CaseDraft } from './case-draft';
import { Trial } from './trial';
import classes from '../../ui/form.module.css';

interface CaseDialogProps {
  readonly flowId: string;
  readonly draft: CaseDraft;
  /** The case that is changed; a new one is made without it. */
  readonly caseId?: string | undefined;
  readonly onClose: () => void;
}

export function CaseDialog({ flowId, draft, caseId, onClose }: CaseDialogProps) {
  const queries = useQueryClient();
  const { form, set, isDirty } = useFields(() => formOf(draft));
  /** From a play: not stored yet. */
  const isMade = caseId === undefined && Object.keys(draft.expected).length > 0;
  const [args, fixtures, expected] = [form.args, form.fixtures, form.expected].map(readObject);
  const isValid = args && 'value' in args && fixtures && 'value' in fixtures && expected && 'value' in expected;
  const save = useMutation({
    mutationFn: (body: CaseDraft) => {
      if (caseId === undefined) {
        return answerOf(api.POST('/api/v1/flows/{flowId}/test-cases', { params: { path: { flowId } }, body }));
      }
      const params = { path: { flowId, caseId } };
      return answerOf(api.PATCH('/api/v1/flows/{flowId}/test-cases/{caseId}', { params, body }));
    },
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: casesKey(flowId) });
      onClose();
    },
  });
  const trial = useMutation({
    mutationFn: (body: Pick<CaseDraft, 'args' | 'fixtures'>) => dryRun(flowId, body),
  });
  const expect = (ref: string, out: unknown): void => {
    const before = readObject(form.expected);
    set({ expected: jsonText({ ...('value' in before && before.value), [ref]: out }) });
  };
  return (
    <FormDialog
      title={caseId === undefined ? 'New test case' : 'Test case'}
      help="docs/flows.md#dry-runs-and-test-cases"
      action="Save"
      size="xl"
      isReady={Boolean(isValid) && form.name !== ''}
      isPending={save.isPending}
      isDirty={isMade || isDirty}
      error={save.error}
      onSubmit={() =>
        isValid &&
        save.mutate({
          name: form.name,
          required: form.required,
          args: args.value,
          fixtures: fixtures.value,
          expected: expected.value,
        })
      }
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="What is true when it passes."
        required
        maxLength={200}
        data-autofocus
        value={form.name}
        error={faultOf(save.error, 'name')}
        onChange={(event) => set({ name: event.currentTarget.value })}
      />
      <JsonField label="Arguments" value={form.args} onChange={(text) => set({ args: text })} />
      <JsonField
        label="Fixtures"
        description="Ref → the output that a layer returns instead of being called."
        value={form.fixtures}
        onChange={(text) => set({ fixtures: text })}
      />
      <JsonField
        label="Expected"
        description="Ref → part of its output: an object must have at least these fields, a list exactly these items."
        value={form.expected}
        onChange={(text) => set({ expected: text })}
      />
      <Checkbox
        label="Required: the flow cannot be enabled while this case fails"
        checked={form.required}
        onChange={(event) => set({ required: event.currentTarget.checked })}
      />
      <div className={classes.row}>
        <Button
          variant="default"
          disabled={!isValid}
          loading={trial.isPending}
          onClick={() => isValid && trial.mutate({ args: args.value, fixtures: fixtures.value })}
        >
          Try it
        </Button>
        <span className="soft">A dry run: nothing is stored or sent.</span>
      </div>
      {trial.error && <ErrorNotice error={trial.error} />}
      {trial.data && <Trial run={trial.data} onExpect={expect} />}
    </FormDialog>
  );
}

interface Form {
  readonly name: string;
  readonly required: boolean;
  readonly args: string;
  readonly fixtures: string;
  readonly expected: string;
}

function formOf({ name, required, args, fixtures, expected }: CaseDraft): Form {
  return { name, required, args: jsonText(args), fixtures: jsonText(fixtures), expected: jsonText(expected) };
}
