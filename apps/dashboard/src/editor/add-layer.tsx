import { Button, Modal } from '@mantine/core';
import { useState } from 'react';
import { Icon } from '../ui/icon';
import { foundModules, type Module } from './modules';
import { SearchList } from './search-list';

interface AddLayerProps {
  readonly modules: readonly Module[];
  readonly onAdd: (module: Module) => void;
}

/** The list of what layers can do, with a search. */
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
      <Modal opened={isOpen} onClose={() => setOpen(false)} title="Add a layer" size="md">
        <Modules modules={modules} onAdd={add} />
      </Modal>
    </>
  );
}

function Modules({ modules, onAdd }: AddLayerProps) {
  const [text, setText] = useState('');
  const found = foundModules(modules, text);
  return (
    <SearchList
      label="modules"
      placeholder="What should it do?"
      text={text}
      onText={setText}
      items={found.map(({ appId, title, description }) => ({ id: appId, title, code: appId, description }))}
      onChoose={(at) => found[at] && onAdd(found[at])}
      empty="No module has these words."
    />
  );
}
