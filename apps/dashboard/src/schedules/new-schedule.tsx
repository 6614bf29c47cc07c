import { Button } from '@mantine/core';
import { atLeast } from '@weft/access';
import { lazy, Suspense, useState } from 'react';
import { may, useMe } from '../session/me';

const ScheduleForm = lazy(async () => ({ default: (await import('./schedule-form')).ScheduleForm }));

/** For those who may make one: of a flow, or of one that they choose. */
export function NewSchedule({ flowId }: { readonly flowId?: string | undefined }) {
  const me = useMe();
  const [isOpen, setOpen] = useState(false);
  if (!may(me, atLeast('editor'))) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)}>New schedule …</Button>
      <Suspense>{isOpen && <ScheduleForm flowId={flowId} onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}
