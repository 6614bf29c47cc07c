import { Button, Modal, TextInput } from '@mantine/core';
import { useState, type KeyboardEvent } from 'react';
import { Icon } from '../ui/icon';
import { foundModules, type Module } from './modules';
import classes from './editor.module.css';

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
  const [at, setAt] = useState(0);
  const found = foundModules(modules, text);
  const chosen = Math.min(at, found.length - 1);
  const press = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by !== 0) setAt(Math.max(0, Math.min(chosen + by, found.length - 1)));
    else if (event.key === 'Enter' && found[chosen]) onAdd(found[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <div className={classes.modules}>
      <TextInput
        data-autofocus
        role="combobox"
        aria-label="Search modules"
        aria-expanded
        aria-controls="modules"
        aria-activedescendant={found[chosen] && `module-${found[chosen].appId}`}
        placeholder="What should it do?"
        leftSection={<Icon name="search" size={13} />}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <div id="modules" role="listbox" aria-label="Modules" className={classes.moduleList}>
        {found.map((module, i) => (
          <div
            key={module.appId}
            id={`module-${module.appId}`}
            role="option"
            aria-selected={i === chosen}
            className={classes.module}
            onClick={() => onAdd(module)}
            onPointerMove={() => setAt(i)}
          >
            <strong>{module.title}</strong> <code className="soft">{module.appId}</code>
            <span className="soft">{module.description}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && <p className="soft">No module has these words.</p>}
    </div>
  );
}
