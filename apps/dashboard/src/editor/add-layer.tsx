import { Button } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { Icon } from '../ui/icon';
import type { Module } from './modules';

const AddLayerDialog = lazy(async () => ({ default: (await import('./add-layer-dialog')).AddLayerDialog }));

interface AddLayerProps {
  readonly modules: readonly Module[];
  readonly onAdd: (module: Module) => void;
}

export function AddLayer({ modules, onAdd }: AddLayerProps) {
  const [isOpen, setOpen] = useState(false);
  const add = (module: Module): void => {
    setOpen(false);
    onAdd(module);
  };
  return (
    <>
      <Button variant="default" leftSection={<Icon name="plus" size={13} />} onClick={() => setOpen(true)}>
        Add a layer
      </Button>
      <Suspense>{isOpen && <AddLayerDialog modules={modules} onAdd={add} onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}
