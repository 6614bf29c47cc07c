import { lazy, Suspense, useMemo, useState, type ReactNode } from 'react';
import { AGENT } from './agent-fields';
import { choicesAt, useChoices } from './choices';
import type { DraftLayer, Layers } from './draft';
import { faceKeyOf, outShapeOf, useFaces } from './faces';
import { FieldRow } from './field-row';
import { FormContext, type FormState } from './form-context';
import { LayerForm } from './layer-form';
import type { Module } from './modules';
import type { Problem } from './problems';
import type { Schema } from './schema-reading';
import type { Unreadable } from './unreadable';
import { knownOf, type Sample } from './use-known';
import classes from './editor.module.css';

/** What is opened is loaded then. */
const SampleData = lazy(async () => ({ default: (await import('./layer-tools')).SampleData }));
const AgentTools = lazy(async () => ({ default: (await import('./agent-tools')).AgentTools }));
const TryLayer = lazy(async () => ({ default: (await import('./layer-tools')).TryLayer }));

const TOOLS = 'args.tools';

interface LayerPanelProps {
  readonly flowId: string;
  readonly layer: DraftLayer;
  readonly layers: Layers;
  readonly modules: readonly Module[];
  readonly sample: Sample;
  /** The flow's schema of its args. */
  readonly argsShape: Schema;
  readonly problems: readonly Problem[];
  readonly isReadOnly: boolean;
  readonly mayRun: boolean;
  readonly unreadable: Unreadable;
  readonly onUnreadable: (change: (now: Unreadable) => Unreadable) => void;
  readonly onChange: (layer: DraftLayer, tag: string) => void;
}

/** The layer that is chosen. */
export function LayerPanel(props: LayerPanelProps) {
  const { flowId, mayRun } = props;
  const { layer, layers, modules, sample, argsShape, problems, isReadOnly, unreadable, onUnreadable, onChange } = props;
  const faces = useFaces(layers);
  const face = faces.get(faceKeyOf(layer) ?? '');
  const known = useMemo(() => {
    const shapeOf = (each: DraftLayer): Schema => outShapeOf(each, modules, faces);
    return knownOf(layers, layer, shapeOf, sample, argsShape);
  }, [layers, layer, modules, faces, sample, argsShape]);
  const choices = useChoices(layer, face);
  const form: FormState = {
    layerKey: layer.key,
    known,
    isReadOnly,
    choicesOf: (path) => choicesAt(path, layers, layer, choices),
    problems: problems.filter(({ key }) => key === layer.key),
    unreadable,
    changeUnreadable: onUnreadable,
    renderField: (field, key) =>
      layer.appId === AGENT && field.path === TOOLS ? (
        <Suspense key={key}>
          <AgentTools {...field} />
        </Suspense>
      ) : (
        <FieldRow key={key} {...field} />
      ),
  };
  return (
    <section className={`panel ${classes.panel ?? ''}`} data-layer-panel aria-label={`Layer ${layer.ref}`}>
      <FormContext value={form}>
        <LayerForm
          layer={layer}
          layers={layers}
          module={modules.find(({ appId }) => appId === layer.appId)}
          face={face}
          onChange={onChange}
          tools={
            !isReadOnly && (
              <>
                <Tool title="Data it can read">
                  <SampleData known={known} />
                </Tool>
                {mayRun && (
                  <Tool title="Try this layer">
                    <TryLayer flowId={flowId} layer={layer} layers={layers} sample={sample} />
                  </Tool>
                )}
              </>
            )
          }
        />
      </FormContext>
    </section>
  );
}

function Tool({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={classes.tool} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && <Suspense fallback={<p className="soft">Loading …</p>}>{children}</Suspense>}
    </details>
  );
}
