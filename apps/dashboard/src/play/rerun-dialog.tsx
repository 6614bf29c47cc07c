import { Button, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { parseJson } from '@weft/client';
import { useState } from 'react';
import { answerOf, api } from '../api/client';
import type { Play } from '../plays/play';
import { differences } from '../compare/differences';
import { pathText } from '../values/tree-model';
import { Dialog } from '../ui/dialog';
import { ErrorNotice } from '../ui/error-notice';
import classes from './play.module.css';

interface RerunDialogProps {
  readonly play: Play;
  readonly onClose: () => void;
  readonly onStarted: (playId: string) => void;
}

/** A new play of the flow as it is today, with these arguments or changed ones. */
export function RerunDialog({ play, onClose, onStarted }: RerunDialogProps) {
  const before = play.args ?? {};
  const [filledIn] = useState(() => JSON.stringify(before, null, 2));
  const [text, setText] = useState(filledIn);
  const parsed = readArgs(text);
  const rerun = useMutation({
    mutationFn: (args: Record<string, unknown>) =>
      answerOf(api.POST('/api/v1/plays/{id}/rerun', { params: { path: { id: play.id } }, body: { args } })),
    onSuccess: ({ playId }) => {
      onClose();
      onStarted(playId);
    },
  });
  const changed = 'args' in parsed ? differences(before, parsed.args) : [];
  return (
    <Dialog onClose={onClose} title="Run again" size="lg" closeOnClickOutside={false} closeOnEscape={text === filledIn}>
      <div className={classes.left}>
        <p className="soft">A new play of the current version of the flow. The arguments of this one are filled in.</p>
        <Textarea
          aria-label="Arguments as JSON"
          autosize
          minRows={6}
          maxRows={20}
          data-autofocus
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          value={text}
          error={'fault' in parsed ? parsed.fault : undefined}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <p className="soft" aria-live="polite">
          {changed.length === 0
            ? 'The arguments are unchanged.'
            : `Changed: ${changed.map(({ path }) => pathText(path) || 'all').join(', ')}`}
        </p>
        {rerun.isError && <ErrorNotice error={rerun.error} />}
        <div className={classes.buttons}>
          <Button
            disabled={!('args' in parsed)}
            loading={rerun.isPending}
            onClick={() => 'args' in parsed && rerun.mutate(parsed.args)}
          >
            Run
          </Button>
          <Button variant="default" onClick={onClose}>
            Not now
          </Button>
        </div>
      </div>
    </Dialog>
  );
}

function readArgs(text: string): { readonly args: Record<string, unknown> } | { readonly fault: string } {
  try {
    const value = parseJson(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return { fault: 'Arguments are an object: { … }' };
    }
    return { args: value as Record<string, unknown> };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : 'This is not JSON.' };
  }
}
