import { Button, Skeleton } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useState } from 'react';
import { answerOf, api } from '../../api/client';
import { Mark } from '../../flows/flow-marks';
import { Confirm } from '../../ui/confirm';
import { EmptyState } from '../../ui/empty-state';
import { ErrorNotice } from '../../ui/error-notice';
import { showError } from '../../ui/show-error';
import { Table } from '../../ui/table';
import { Time } from '../../ui/time';
import type { Flow } from '../queries';
import { useFlowRights } from '../rights';
import type { CaseDraft } from './case-draft';
import { CaseDialog } from './case-dialog';
import { CaseResult } from './case-result';
import { ChoosePlay } from './choose-play';
import { caseFromPlay, caseFromSamples, casesKey, casesQuery, type TestCase } from './queries';
import classes from './test-cases.module.css';

/** What the flow has to give, checked without calling anything. */
export function TestCasesTab({ flow }: { readonly flow: Flow }) {
  const { id: flowId } = flow;
  const rights = useFlowRights(flow);
  const queries = useQueryClient();
  const { play } = useSearch({ from: '/shell/flows/$flowId' });
  const navigate = useNavigate({ from: '/flows/$flowId' });
  const [isChoosing, setChoosing] = useState(false);
  const [open, setOpen] = useState<{ readonly draft: CaseDraft; readonly id?: string } | null>(null);
  const [deleting, setDeleting] = useState<TestCase | null>(null);
  const { data: cases, error } = useQuery(casesQuery(flowId));
  const run = useMutation({
    mutationFn: () => answerOf(api.POST('/api/v1/flows/{flowId}/test-cases/run', { params: { path: { flowId } } })),
  });
  const take = useMutation({
    mutationFn: (playId: string) => caseFromPlay(flowId, playId),
    onError: showError,
    onSuccess: (draft) => {
      setChoosing(false);
      setOpen({ draft });
    },
  });
  const begin = useMutation({
    mutationFn: () => caseFromSamples(flowId),
    onError: showError,
    onSuccess: (draft) => setOpen({ draft }),
  });
  const remove = useMutation({
    mutationFn: (caseId: string) =>
      answerOf(api.DELETE('/api/v1/flows/{flowId}/test-cases/{caseId}', { params: { path: { flowId, caseId } } })),
    onError: showError,
    onSettled: () => queries.invalidateQueries({ queryKey: casesKey(flowId) }),
  });
  const takeFromAddress = useEffectEvent(() => {
    if (play === undefined || !rights.edit) return;
    void navigate({ search: { tab: 'test-cases' }, replace: true });
    take.mutate(play);
  });
  useEffect(() => takeFromAddress(), [play]);
  if (error) return <ErrorNotice error={error} />;
  if (!cases) return <Skeleton height={160} radius="md" />;
  const make = rights.edit && (
    <>
      <Button variant={cases.length === 0 ? 'filled' : 'default'} onClick={() => setChoosing(true)}>
        From a play …
      </Button>
      <Button variant="default" loading={begin.isPending} onClick={() => begin.mutate()}>
        New test case …
      </Button>
    </>
  );
  return (
    <>
      {cases.length === 0 ? (
        <EmptyState title="No test case yet">
          <p>A test case is a run with its expected result. It calls nothing outside, so it can be run at any time.</p>
          <div className={classes.buttons}>{make}</div>
        </EmptyState>
      ) : (
        <div className={classes.tab}>
          {rights.edit && (
            <div className={classes.buttons}>
              <Button loading={run.isPending} onClick={() => run.mutate()}>
                Run all
              </Button>
              {make}
              <span aria-live="polite" className="soft">
                {run.data && `${run.data.passed} passed, ${run.data.failed} failed`}
              </span>
            </div>
          )}
          {run.error && <ErrorNotice error={run.error} />}
          <Table
            caption="Test cases"
            hideCaption
            isFlush
            columns={['Case', 'Result', 'Expects', 'Changed', '']}
            wide={[2, 3]}
            rows={cases.map((each) => ({
              key: each.id,
              cells: [
                <span key="name" className={classes.name}>
                  {each.name} {each.required && <Mark kind="plain">Required</Mark>}
                </span>,
                <CaseResult key="result" result={run.data?.items.find(({ caseId }) => caseId === each.id)} />,
                <code key="refs">{Object.keys(each.expected).join(', ')}</code>,
                <Time key="at" at={each.updatedAt} />,
                rights.edit && (
                  <div key="do" className={classes.commands}>
                    <Button variant="default" size="compact-xs" onClick={() => setOpen({ draft: each, id: each.id })}>
                      Edit …
                    </Button>
                    <Button variant="default" size="compact-xs" onClick={() => setDeleting(each)}>
                      Delete …
                    </Button>
                  </div>
                ),
              ],
            }))}
          />
        </div>
      )}
      {isChoosing && (
        <ChoosePlay
          flowId={flowId}
          isReading={take.isPending}
          onChoose={(playId) => take.mutate(playId)}
          onClose={() => setChoosing(false)}
        />
      )}
      {open && <CaseDialog flowId={flowId} draft={open.draft} caseId={open.id} onClose={() => setOpen(null)} />}
      {deleting && (
        <Confirm
          title={`Delete “${deleting.name}”?`}
          action="Delete"
          onConfirm={() => remove.mutate(deleting.id)}
          onClose={() => setDeleting(null)}
        >
          The flow is no longer checked against it.
        </Confirm>
      )}
    </>
  );
}
