import { Button } from '@mantine/core';
import { specialist } from '@weft/access';
import { lazy, Suspense, useState } from 'react';
import { may, useMe } from '../session/me';
import classes from './form.module.css';

const IntegrationDialog = lazy(async () => ({
  default: (await import('../admin/integrations/integration-dialog')).IntegrationDialog,
}));

/** Makes the integration link that a field asks for, without leaving the flow. */
export function NewLink({ onMade }: { readonly onMade: (id: string) => void }) {
  const mayMake = may(useMe(), specialist('integration_manager'));
  const [isOpen, setOpen] = useState(false);
  if (!mayMake) return null;
  return (
    <div className={classes.hint}>
      <Button size="compact-xs" variant="default" onClick={() => setOpen(true)}>
        New integration …
      </Button>
      <Suspense>
        {isOpen && (
          <IntegrationDialog
            onMade={(id) => {
              onMade(id);
              return Promise.resolve();
            }}
            onClose={() => setOpen(false)}
          />
        )}
      </Suspense>
    </div>
  );
}
