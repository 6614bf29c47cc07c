import { useMemo } from 'react';
import { choicesAt, useChoices } from './choices';
import type { DraftLayer, Layers } from './draft';
import { FieldRow } from './field-row';
import { FormContext, type FormState } from './form-context';
import { LayerForm } from './layer-form';
import type { Module } from './modules';
import type { Problem } from './problems';
import { knownOf, type Sample } from './use-known';
import classes from './editor.module.css';

interface LayerPanelProps {
  readonly layer: DraftLayer;
  readonly layers: Layers;
  readonly modules: readonly Module[];
  readonly sample: Sample | null;
  readonly problems: readonly Problem[];
  readonly isReadOnly: boolean;
  readonly unreadable: ReadonlyMap<string, string>;
  readonly onUnreadable: (change: (now: ReadonlyMap<string, string>) => ReadonlyMap<string, string>) => void;
  readonly onChange: (layer: DraftLayer, tag: string) => void;
}

/** The layer that is chosen. */
export function LayerPanel(props: LayerPanelProps) {
  const { layer, layers, modules, sample, problems, isReadOnly, unreadable, onUnreadable, onChange } = props;
  const known = useMemo(() => knownOf(layers, layer, modules, sample), [layers, layer, modules, sample]);
  const choices = useChoices(layer);
  const form: FormState = {
    layerKey: layer.key,
    known,
    isReadOnly,
    choicesOf: (path) => choicesAt(path, layers, layer, choices),
    problems: problems.filter(({ key }) => key === layer.key),
    unreadable,
    setUnreadable: (place, text) =>
      onUnreadable((now) => {
        const rest = [...now].filter(([each]) => each !== place && !each.startsWith(`${place}.`));
        if (text === null) return rest.length === now.size ? now : new Map(rest);
        return new Map([...rest, [place, text]]);
      }),
    renderField: (field, key) => <FieldRow key={key} {...field} />,
  };
  return (
    <section className={`panel ${classes.panel ?? ''}`} data-layer-panel aria-label={`Layer ${layer.ref}`}>
      <FormContext value={form}>
        <LayerForm layer={layer} module={modules.find(({ appId }) => appId === layer.appId)} onChange={onChange} />
      </FormContext>
    </section>
  );
}
