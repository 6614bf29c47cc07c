import { useState } from 'react';
import { Dialog } from '../ui/dialog';
import { foundEntries, type Entry } from './entries';
import type { Module } from './modules';
import { SearchList } from './search-list';

interface LayerChoiceProps {
  readonly modules: readonly Module[];
  readonly onAdd: (entry: Entry) => void;
  readonly onClose: () => void;
}

/** The list of what layers can do, with a search. */
export function LayerChoice({ modules, onAdd, onClose }: LayerChoiceProps) {
  const [text, setText] = useState('');
  const found = foundEntries(modules, text);
  return (
    <Dialog onClose={onClose} title="Add a layer" size="md">
      <SearchList
        label="modules"
        placeholder="What should it do?"
        text={text}
        onText={setText}
        items={found.map(({ id, title, description, module }) => ({ id, title, code: module.appId, description }))}
        onChoose={(at) => found[at] && onAdd(found[at])}
        empty="No module has these words."
      />
    </Dialog>
  );
}
