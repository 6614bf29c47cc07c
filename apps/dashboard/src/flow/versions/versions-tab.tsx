import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { answerOf, api } from '../../api/client';
import { Person } from '../../ui/person';
import { Confirm } from '../../ui/confirm';
import { Paged } from '../../ui/paged';
import { showError } from '../../ui/show-error';
import { Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { PublishDialog } from '../publish-dialog';
import { flowKey, ifMatch, showChanged, type Flow } from '../queries';
import { useFlowRights } from '../rights';
import { useVersions } from './queries';
import { VersionDiff } from './version-diff';
import { whatChanged } from './what-changed';
import classes from './versions.module.css';

/** Every change made one. Two of them are compared, an earlier one comes back as a new one. */
export function VersionsTab({ flow }: { readonly flow: Flow }) {
  const { from, to } = useSearch({ from: '/shell/flows/$flowId' });
  const navigate = useNavigate({ from: '/flows/$flowId' });
  const rights = useFlowRights(flow);
  const queries = useQueryClient();
  const [restoring, setRestoring] = useState<number | null>(null);
  const [publishing, setPublishing] = useState<number | null>(null);
  const pages = useVersions(flow.id);
  const restore = useMutation({
    mutationFn: (version: number) =>
      answerOf(
        api.POST('/api/v1/flows/{flowId}/versions/{version}/restore', {
          params: { path: { flowId: flow.id, version: String(version) }, header: ifMatch(flow) },
        }),
      ),
    onError: (thrown) => {
      showError(thrown);
      void queries.invalidateQueries({ queryKey: flowKey(flow.id) });
    },
    onSuccess: (now) => showChanged(queries, now),
  });
  const compare = (a: number, b: number): void =>
    void navigate({ search: { tab: 'versions', from: a, to: b }, replace: true, resetScroll: false });
  const newest = flow.version;
  const isByHand = flow.settings.publish === 'manual' && !flow.isBlueprint;
  const shown = { to: to ?? newest, from: from ?? Math.max(1, (to ?? newest) - 1) };
  return (
    <div className={classes.columns}>
      <div>
        <Paged pages={pages}>
          {(versions) => (
            <Table
              caption="Versions"
              hideCaption
              isFlush
              columns={['', 'Changed', 'By', 'When', '']}
              rows={versions.map((each, i) => ({
                key: String(each.version),
                isCursor: each.version === shown.to,
                cells: [
                  <button
                    key="n"
                    type="button"
                    className={classes.number}
                    title="Show what it changed"
                    onClick={() => compare(Math.max(1, each.version - 1), each.version)}
                  >
                    {each.version}
                  </button>,
                  whatChanged(each, versions[i + 1]),
                  <Person key="by" id={each.createdBy} />,
                  <Time key="when" at={each.createdAt} />,
                  <span key="commands" className={classes.commands}>
                    {isByHand && each.version === flow.publishedVersion && <span className="soft">published</span>}
                    {isByHand && rights.edit && each.version !== flow.publishedVersion && (
                      <Button variant="default" size="compact-xs" onClick={() => setPublishing(each.version)}>
                        Publish …
                      </Button>
                    )}
                    {each.version === newest && <span className="soft">{isByHand ? 'last' : 'now'}</span>}
                    {each.version !== newest && rights.edit && (
                      <Button
                        variant="default"
                        size="compact-xs"
                        loading={restore.isPending && restore.variables === each.version}
                        onClick={() => setRestoring(each.version)}
                      >
                        Restore …
                      </Button>
                    )}
                  </span>,
                ],
              }))}
            />
          )}
        </Paged>
      </div>
      <VersionDiff flowId={flow.id} {...shown} newest={newest} onChange={compare} />
      {publishing !== null && <PublishDialog flow={flow} version={publishing} onClose={() => setPublishing(null)} />}
      {restoring !== null && (
        <Confirm
          title={`Restore version ${restoring}?`}
          action="Restore"
          onConfirm={() => restore.mutate(restoring)}
          onClose={() => setRestoring(null)}
        >
          It becomes version {newest + 1}, with the layers and settings of version {restoring}. Whether the flow is
          paused, restricted or in a group stays. Plays that run go on with their version.
        </Confirm>
      )}
    </div>
  );
}
