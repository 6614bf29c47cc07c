import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { unsavedOfPage } from '../session/unsaved';
import { Confirm } from '../ui/confirm';
import { usePublish, type Flow } from './queries';

interface PublishDialogProps {
  readonly flow: Flow;
  readonly version: number;
  readonly onClose: () => void;
}

/** Asks before runs use another version than now. */
export function PublishDialog({ flow, version, onClose }: PublishDialogProps) {
  const { publishedVersion: before } = flow;
  const publish = usePublish(flow);
  const [unsaved] = useState(unsavedOfPage);
  return (
    <Confirm
      title={`Publish version ${version}?`}
      action="Publish"
      onConfirm={() => publish.mutate(version)}
      onClose={onClose}
    >
      {unsaved !== null && <strong>Not saved, and not in it: {unsaved.words}. </strong>}
      {before === null ? (
        'It is the first one that runs use.'
      ) : (
        <>
          New runs use it instead of version {before}
          {version < before && ', and later versions are drafts again'}. Plays that run go on with their version.{' '}
          <Link
            to="/flows/$flowId"
            params={{ flowId: flow.id }}
            search={{ tab: 'versions', from: before, to: version }}
            onClick={onClose}
          >
            What would change
          </Link>
        </>
      )}
    </Confirm>
  );
}
