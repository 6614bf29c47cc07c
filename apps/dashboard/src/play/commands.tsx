import { ActionIcon, Button, Menu } from '@mantine/core';
import { atLeast } from '@weft/access';
import { isFinal } from '@weft/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, memo, Suspense, useState } from 'react';
import { answerOf, api } from '../api/client';
import { Refusal } from '../api/refusal';
import type { Play } from '../plays/play';
import { may, useMe, type Me } from '../session/me';
import { Icon } from '../ui/icon';
import { showError } from '../ui/show-error';
import { playKey, type PlayLayer } from './queries';
import { useLastDone } from './use-last-done';

const Confirm = lazy(async () => ({ default: (await import('../ui/confirm')).Confirm }));
const RerunDialog = lazy(async () => ({ default: (await import('./rerun-dialog')).RerunDialog }));

interface CommandsProps {
  readonly play: Play;
  readonly layers: readonly PlayLayer[];
}

type Move = 'hold' | 'release' | 'cancel';

/** What the caller may do with the play as it is now. The server decides again. */
export const Commands = memo(function Commands({ play, layers }: CommandsProps) {
  const me = useMe();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isRerunning, setRerunning] = useState(false);
  const [isErasing, setErasing] = useState(false);
  const path = { params: { path: { id: play.id } } };
  const refresh = () => queries.invalidateQueries({ queryKey: playKey(play.id) });
  const go = (playId: string): void => void navigate({ to: '/plays/$playId', params: { playId } });
  const move = useMutation({
    mutationFn: (to: Move) => answerOf(api.POST(`/api/v1/plays/{id}/${to}`, path)),
    onError: showError,
    onSettled: refresh,
  });
  const resume = useMutation({
    mutationFn: (ref: string) => answerOf(api.POST('/api/v1/plays/{id}/resume', { ...path, body: { ref } })),
    onError: showError,
    onSettled: refresh,
  });
  const retry = useMutation({
    mutationFn: () => answerOf(api.POST('/api/v1/plays/{id}/retry', path)),
    onError: (error) => {
      showError(error);
      const parent = parentToRetry(error);
      if (parent !== null) go(parent);
    },
    onSuccess: ({ playId }) => go(playId),
  });
  const erase = useMutation({
    mutationFn: () => answerOf(api.DELETE('/api/v1/plays/{id}', path)),
    onError: showError,
    onSuccess: () => void navigate({ to: '/plays' }),
  });
  const lastDone = useLastDone(play);
  const isOver = isFinal(play.state);
  const mayCommand = mayControl(me, play);
  const pausing = layers.filter(
    ({ state, appId }) => state === 'DEFERRED' || (state === 'WAIT' && appId === 'wait-event'),
  );
  return (
    <>
      {mayCommand && play.state === 'FAIL' && !play.retriedBy && (
        <Button
          aria-keyshortcuts="r"
          leftSection={<Icon name="retry" size={14} />}
          loading={retry.isPending}
          onClick={() => retry.mutate()}
        >
          Retry from the failure
        </Button>
      )}
      {mayCommand && play.state === 'ON_HOLD' && (
        <Button loading={move.isPending} onClick={() => move.mutate('release')}>
          Release
        </Button>
      )}
      {mayCommand && play.state !== 'ON_HOLD' && !isOver && (
        <Button variant="default" loading={move.isPending} onClick={() => move.mutate('hold')}>
          Hold
        </Button>
      )}
      {mayCommand && !isOver && (
        <Button variant="default" color="red" loading={move.isPending} onClick={() => move.mutate('cancel')}>
          Cancel
        </Button>
      )}
      {mayCommand && (
        <Button variant="default" onClick={() => setRerunning(true)}>
          Run again …
        </Button>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon aria-label="More commands">
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {mayCommand &&
            pausing.map(({ ref }) => (
              <Menu.Item key={ref} onClick={() => resume.mutate(ref)}>
                Do not wait longer at “{ref}”
              </Menu.Item>
            ))}
          <Menu.Item
            leftSection={<Icon name="compare" size={14} />}
            disabled={!lastDone}
            onClick={() => void navigate({ to: '/compare', search: { a: lastDone ?? '', b: play.id } })}
          >
            Compare with the last that went well
          </Menu.Item>
          {play.state === 'DONE' && may(me, atLeast('editor')) && (
            <Menu.Item
              leftSection={<Icon name="check" size={14} />}
              onClick={() =>
                void navigate({
                  to: '/flows/$flowId',
                  params: { flowId: play.flowId },
                  search: { tab: 'test-cases', play: play.id },
                })
              }
            >
              Make a test case from it
            </Menu.Item>
          )}
          <Menu.Item
            component="a"
            href={`/api/v1/plays/${play.id}/layers`}
            download={`${play.id}.json`}
            leftSection={<Icon name="copy" size={14} />}
          >
            Download the layers as JSON
          </Menu.Item>
          {isOver && may(me, atLeast('admin')) && (
            <Menu.Item color="var(--state-fail)" onClick={() => setErasing(true)}>
              Delete this play …
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <Suspense>
        {isRerunning && <RerunDialog play={play} onClose={() => setRerunning(false)} onStarted={go} />}
        {isErasing && (
          <Confirm
            title="Delete this play?"
            action="Delete"
            onConfirm={() => erase.mutate()}
            onClose={() => setErasing(false)}
          >
            Its arguments, outputs and journal are gone for good.
          </Confirm>
        )}
      </Suspense>
    </>
  );
});

/** The play whose retry runs this one again; null: the retry was refused for another reason. */
function parentToRetry(error: unknown): string | null {
  if (!(error instanceof Refusal) || error.code !== 'retry_the_parent') return null;
  const { parentPlayId } = error.problem as { readonly parentPlayId?: unknown };
  return typeof parentPlayId === 'string' ? parentPlayId : null;
}

/** docs/http-api.md §1.8, the row "plays". */
function mayControl(me: Me, play: Play): boolean {
  if (may(me, atLeast('editor'))) return true;
  return play.triggeredBy === me.user.id && may(me, atLeast('executor'));
}
