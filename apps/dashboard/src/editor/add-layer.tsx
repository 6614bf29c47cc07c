import { Button } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { Icon } from '../ui/icon';
import type { Entry } from './entries';
import type { Module } from './modules';

const LayerChoice = lazy(async () => ({ default: (await import('./layer-choice')).LayerChoice }));

interface AddLayerProps {
  readonly modules: readonly Module[];
  readonly onAdd: (entry: Entry) => void;
}

export function AddLayer({ modules, onAdd }: AddLayerProps) {
  const [isOpen, setOpen] = useState(false);
  const add = (entry: Entry): void => {
    setOpen(false);
    onAdd(entry);
  };
  return (
    <>
      <Button variant="default" leftSection={<Icon name="plus" size={13} />} onClick={() => setOpen(true)}>
        Add a layer
      </Button>
      <Suspense>{isOpen && <LayerChoice modules={modules} onAdd={add} onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}
