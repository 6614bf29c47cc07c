import { Button, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../api/client';
import { ErrorNotice } from '../ui/error-notice';
import { INBOX_KEY } from './use-inbox';
import classes from './approvals.module.css';

interface DecideFormProps {
  readonly playId: string;
  readonly layerRef: string;
  /** Of an agent: the step that asks. */
  readonly step: number | null;
  readonly onDecided?: () => void;
}

export function DecideForm({ playId, layerRef: ref, step, onDecided }: DecideFormProps) {
  const queries = useQueryClient();
  const [comment, setComment] = useState('');
  const decide = useMutation({
    mutationFn: (decision: 'approve' | 'reject') =>
      answerOf(
        api.POST('/api/v1/plays/{id}/approvals/{ref}', {
          params: { path: { id: playId, ref } },
          body: {
            decision,
            ...(comment.trim() !== '' && { comment: comment.trim() }),
            ...(step !== null && { step }),
          },
        }),
      ),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['play', playId] });
      void queries.invalidateQueries({ queryKey: INBOX_KEY });
      onDecided?.();
    },
  });
  return (
    <div className={classes.decide}>
      <Textarea
        label="Comment (may be left out)"
        autosize
        minRows={1}
        maxLength={2_000}
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
      {decide.isError && <ErrorNotice error={decide.error} />}
      <div className={classes.buttons}>
        <Button size="sm" loading={decide.isPending} onClick={() => decide.mutate('approve')}>
          Approve
        </Button>
        <Button size="sm" variant="default" loading={decide.isPending} onClick={() => decide.mutate('reject')}>
          Reject
        </Button>
      </div>
    </div>
  );
}
