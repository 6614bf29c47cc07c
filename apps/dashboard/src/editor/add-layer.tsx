import { Button, Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Icon } from '../ui/icon';
import type { Entry } from './entries';
import type { Module } from './modules';
import { SearchList } from './search-list';

interface AddLayerProps {
  readonly modules: readonly Module[];
  readonly onAdd: (entry: Entry) => void;
}

/** The list of what layers can do, with a search. */
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
      <Modal opened={isOpen} onClose={() => setOpen(false)} title="Add a layer" size="md">
        <Entries modules={modules} onAdd={add} />
      </Modal>
    </>
  );
}

function Entries({ modules, onAdd }: AddLayerProps) {
  const [text, setText] = useState('');
  const { data: entries, isPending } = useQuery({
    queryKey: ['entries of layers'],
    staleTime: Infinity,
    queryFn: () => import('./entries'),
  });
  const found = entries?.foundEntries(modules, text) ?? [];
  return (
    <SearchList
      label="modules"
      placeholder="What should it do?"
      text={text}
      onText={setText}
      items={found.map(({ id, title, description, module }) => ({ id, title, code: module.appId, description }))}
      onChoose={(at) => found[at] && onAdd(found[at])}
      empty={isPending ? 'Looking …' : 'No module has these words.'}
    />
  );
}
