import { Menu, Button, TextInput } from '@mantine/core';
import { lazy, Suspense, useMemo, useState, type ReactNode } from 'react';
import type { DraftLayer, Layers } from './draft';
import { Help } from '../ui/help';
import { AGENT, agentFields } from './agent-fields';
import { Fields } from './fields';
import { FACE_ARGS, type Face } from './faces';
import { fieldsOfArgs, type Args, type Schema } from './form-model';
import { useForm } from './form-context';
import { JsonField } from './json-field';
import type { Module } from './modules';
import { renamed } from './new-layer';
import { optionOf, OPTION_FIELDS, withOption } from './options';
import { faultAt } from './problems';
import { withText } from './unreadable';
import classes from './form.module.css';

/** Loaded for layers that need it. */
const OperationFace = lazy(async () => ({ default: (await import('./operation-face')).OperationFace }));

interface LayerFormProps {
  readonly layer: DraftLayer;
  readonly layers: Layers;
  /** Undefined for one that this Weft does not have. */
  readonly module: Module | undefined;
  /** What the arguments name; undefined until it is read. */
  readonly face: Face | undefined;
  /** @param tag of the field that was changed */
  readonly onChange: (layer: DraftLayer, tag: string) => void;
  /** Between the head and the arguments. */
  readonly tools: ReactNode;
}

/** All that one layer says. */
export function LayerForm({ layer, layers, module, face, onChange, tools }: LayerFormProps) {
  const { problems, isReadOnly, layerKey, unreadable, changeUnreadable } = useForm();
  const place = `${layerKey} args`;
  const isUnreadable = unreadable.has(place);
  const [isRaw, setRaw] = useState(false);
  const schema: Schema | undefined = face?.argsSchema ?? module?.argsSchema;
  const named = FACE_ARGS[layer.appId];
  /** They are chosen together. */
  const names = useMemo(() => (named ? [...named, 'digest'] : []), [named]);
  const fields = useMemo(() => {
    const all = fieldsOfArgs(layer.appId, schema ?? {}).filter(({ name }) => !names.includes(name));
    return layer.appId === AGENT ? agentFields(all) : all;
  }, [layer.appId, schema, names]);
  const asForm = module !== undefined && !isRaw && !isUnreadable;
  const setArgs = (args: Args, tag: string): void => onChange({ ...layer, args: { ...args } }, tag);
  const fillIn = (args: Args): void => {
    // nothing of what was typed before stands in them
    changeUnreadable((now) => withText(now, place, null));
    setArgs(args, '');
  };
  return (
    <div className={classes.form}>
      <div className={classes.head}>
        <div className={classes.names} data-path="name">
          <TextInput
            label="Name"
            readOnly={isReadOnly}
            value={layer.name}
            error={faultAt(problems, 'name')}
            onChange={(event) => onChange(renamed(layer, event.currentTarget.value, layers), 'name')}
          />
          <TextInput
            label="Ref"
            data-path="ref"
            readOnly={isReadOnly}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
            value={layer.ref}
            error={faultAt(problems, 'ref')}
            onChange={(event) => onChange({ ...layer, ref: event.currentTarget.value }, 'ref')}
          />
        </div>
        <p className="soft">
          <strong>{module?.title ?? layer.appId}</strong> {module?.description ?? 'This module is not installed here.'}{' '}
          <Help at={`docs/layers.md#${layer.appId}`} about={layer.appId} />
        </p>
        {problems
          .filter(({ field }) => field === '' || field === 'appId' || field === 'args')
          .map(({ message, isError }) => (
            <p key={message} className={isError ? classes.fault : classes.doubt}>
              {message}
            </p>
          ))}
      </div>
      {tools}
      <div className={classes.section}>
        <h3>
          Arguments <Help at="docs/layers.md#expressions" about="expressions" />
        </h3>
        {!isReadOnly && module !== undefined && module.examples.length > 0 && (
          <Examples examples={module.examples} onChoose={fillIn} />
        )}
        <Button
          size="xs"
          variant="default"
          disabled={module === undefined || isUnreadable}
          onClick={() => setRaw(asForm)}
        >
          {asForm ? 'Show as JSON' : 'Show as a form'}
        </Button>
      </div>
      {asForm ? (
        <>
          {named && (
            <Suspense>
              <OperationFace appId={layer.appId} args={layer.args} face={face} onChange={setArgs} />
            </Suspense>
          )}
          <Fields
            key={named?.map((name) => String(layer.args[name])).join(' ') ?? ''}
            fields={fields}
            values={withoutNames(layer.args, names)}
            path="args"
            onChange={(args, tag) => setArgs({ ...onlyNames(layer.args, names), ...args }, tag)}
          />
        </>
      ) : (
        <div data-path="args">
          <JsonField
            value={layer.args}
            label="Arguments"
            path="args"
            onChange={(args) => setArgs(args as Args, 'args')}
            check={(value) =>
              typeof value === 'object' && value !== null && !Array.isArray(value)
                ? null
                : 'Arguments are an object: { … }'
            }
          />
          {problems
            .filter(({ field }) => field.startsWith('args.'))
            .map(({ field, message, isError }) => (
              <p key={field + message} className={isError ? classes.fault : classes.doubt}>
                {field.slice('args.'.length)}: {message}
              </p>
            ))}
        </div>
      )}
      <div className={classes.section}>
        <h3>
          Options <Help at="docs/layers.md#options" about="options" />
        </h3>
      </div>
      <Options layer={layer} onChange={onChange} />
    </div>
  );
}

function onlyNames(args: Args, names: readonly string[]): Args {
  return Object.fromEntries(Object.entries(args).filter(([name]) => names.includes(name)));
}

function withoutNames(args: Args, names: readonly string[]): Args {
  return Object.fromEntries(Object.entries(args).filter(([name]) => !names.includes(name)));
}

function Options({ layer, onChange }: Pick<LayerFormProps, 'layer' | 'onChange'>) {
  const values = Object.fromEntries(
    OPTION_FIELDS.flatMap(({ name }) => {
      const value = optionOf(layer, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  return (
    <Fields
      fields={OPTION_FIELDS}
      values={values}
      path=""
      onChange={(next, tag) =>
        onChange(
          OPTION_FIELDS.reduce((changed, { name }) => withOption(changed, name, next[name]), layer),
          tag,
        )
      }
    />
  );
}

interface ExamplesProps {
  readonly examples: Module['examples'];
  readonly onChoose: (args: Args) => void;
}

function Examples({ examples, onChoose }: ExamplesProps) {
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button variant="subtle" size="compact-xs">
          Fill in an example
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {examples.map(({ title, args }) => (
          <Menu.Item key={title} onClick={() => onChoose(args)}>
            {title}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
