import { ActionIcon, Button, Menu } from '@mantine/core';
import { atLeast } from '@weft/access';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { may, useMe } from '../session/me';
import { Icon } from '../ui/icon';
import { showError } from '../ui/show-error';
import { downloadDocument } from './documents';
import { isDraft, useFlowChange, type Flow } from './queries';
import { useFlowRights } from './rights';

const DeleteFlow = lazy(async () => ({ default: (await import('./delete-flow')).DeleteFlow }));
const DuplicateDialog = lazy(async () => ({ default: (await import('./duplicate-dialog')).DuplicateDialog }));
const PublishDialog = lazy(async () => ({ default: (await import('./publish-dialog')).PublishDialog }));
const RunDialog = lazy(async () => ({ default: (await import('./run/run-dialog')).RunDialog }));
const TellDialog = lazy(async () => ({ default: (await import('./told/tell-dialog')).TellDialog }));
const NewFlow = lazy(async () => ({ default: (await import('../flows/new-flow/new-flow')).NewFlow }));

type Open = 'tell' | 'run' | 'publish' | 'instantiate' | 'duplicate' | 'delete';

interface FlowCommandsProps {
  readonly flow: Flow;
  /** A play that was started while the page has, or had, something that is not saved: the page stays. */
  readonly onStarted: (playId: string) => void;
}

/** What the caller may do with the flow as a whole. The server decides again. */
export function FlowCommands({ flow, onStarted }: FlowCommandsProps) {
  const me = useMe();
  const rights = useFlowRights(flow);
  const navigate = useNavigate();
  const [open, setOpen] = useState<Open | null>(null);
  const change = useFlowChange(flow);
  const download = useMutation({ mutationFn: () => downloadDocument(flow), onError: showError });
  const mayMake = may(me, atLeast('editor'));
  const close = (): void => setOpen(null);
  return (
    <>
      {rights.execute && !flow.isBlueprint && flow.enabled && flow.publishedVersion !== null && (
        <Button leftSection={<Icon name="plays" size={13} />} onClick={() => setOpen('run')}>
          Run …
        </Button>
      )}
      {rights.edit && !flow.isBlueprint && isDraft(flow) && (
        <Button onClick={() => setOpen('publish')}>Publish …</Button>
      )}
      {flow.isBlueprint && mayMake && <Button onClick={() => setOpen('instantiate')}>Make a flow from it …</Button>}
      {rights.edit && !flow.isBlueprint && (
        <Button
          variant={flow.enabled ? 'default' : 'filled'}
          loading={change.isPending}
          onClick={() => change.mutate({ enabled: !flow.enabled }, { onError: showError })}
        >
          {flow.enabled ? 'Pause' : 'Enable'}
        </Button>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon aria-label="More commands">
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<Icon name="plays" size={14} />}
            onClick={() => void navigate({ to: '/plays', search: { flowId: flow.id } })}
          >
            Its plays
          </Menu.Item>
          {mayMake && (
            <Menu.Item leftSection={<Icon name="copy" size={14} />} onClick={() => setOpen('duplicate')}>
              Duplicate …
            </Menu.Item>
          )}
          {!flow.isBlueprint && (
            <Menu.Item leftSection={<Icon name="bell" size={14} />} onClick={() => setOpen('tell')}>
              Tell me when it fails …
            </Menu.Item>
          )}
          <Menu.Item leftSection={<Icon name="out" size={14} />} onClick={() => download.mutate()}>
            Export as a document
          </Menu.Item>
          {rights.delete && (
            <Menu.Item color="var(--state-fail)" onClick={() => setOpen('delete')}>
              Delete …
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <Suspense>
        {open === 'tell' && <TellDialog flow={flow} mayEdit={rights.edit && mayMake} onClose={close} />}
        {open === 'run' && <RunDialog flow={flow} onStarted={onStarted} onClose={close} />}
        {open === 'instantiate' && <NewFlow from="blueprint" blueprintId={flow.id} onClose={close} />}
        {open === 'publish' && <PublishDialog flow={flow} version={flow.version} onClose={close} />}
        {open === 'duplicate' && <DuplicateDialog flow={flow} onClose={close} />}
        {open === 'delete' && <DeleteFlow flow={flow} onClose={close} />}
      </Suspense>
    </>
  );
}
