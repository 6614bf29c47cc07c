import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Dialog } from '../../ui/dialog';
import { ErrorNotice } from '../../ui/error-notice';
import { StateBadge } from '../../ui/state-badge';
import { Table } from '../../ui/table';
import { Time } from '../../ui/time';
import { lastDoneQuery } from './queries';

interface ChoosePlayProps {
  readonly flowId: string;
  readonly isReading: boolean;
  readonly onChoose: (playId: string) => void;
  readonly onClose: () => void;
}

export function ChoosePlay({ flowId, isReading, onChoose, onClose }: ChoosePlayProps) {
  const { data, error } = useQuery(lastDoneQuery(flowId));
  return (
    <Dialog onClose={onClose} title="A test case from a play" size="lg">
      <p className="soft">
        Its arguments, the outputs of what it called outside, and the result that it gave become a case. You can change
        them before you save.
      </p>
      {error && <ErrorNotice error={error} />}
      {!data && !error && <Skeleton height={160} mt="md" />}
      {data && (
        <Table
          caption="Plays that went well"
          hideCaption
          columns={['State', 'Play', 'Ended', '']}
          wide={[1]}
          empty="No play of this flow went well yet."
          rows={data.map(({ id, state, completedAt }) => ({
            key: id,
            cells: [
              <StateBadge key="state" state={state} />,
              <code key="id">{id}</code>,
              <Time key="at" at={completedAt} />,
              <Button key="take" variant="default" size="compact-xs" loading={isReading} onClick={() => onChoose(id)}>
                Take it
              </Button>,
            ],
          }))}
        />
      )}
    </Dialog>
  );
}
