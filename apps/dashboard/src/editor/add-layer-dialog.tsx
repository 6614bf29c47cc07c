import { useState } from 'react';
import { Dialog } from '../ui/dialog';
import { foundModules, type Module } from './modules';
import { SearchList } from './search-list';

interface AddLayerDialogProps {
  readonly modules: readonly Module[];
  readonly onAdd: (module: Module) => void;
  readonly onClose: () => void;
}

/** The list of what layers can do, with a search. */
export function AddLayerDialog({ modules, onAdd, onClose }: AddLayerDialogProps) {
  const [text, setText] = useState('');
  const found = foundModules(modules, text);
  return (
    <Dialog onClose={onClose} title="Add a layer" size="md">
      <SearchList
        label="modules"
        placeholder="What should it do?"
        text={text}
        onText={setText}
        items={found.map(({ appId, title, description }) => ({ id: appId, title, code: appId, description }))}
        onChoose={(at) => found[at] && onAdd(found[at])}
        empty="No module has these words."
      />
    </Dialog>
  );
}
