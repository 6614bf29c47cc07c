import { Button, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { flowQuery } from '../flow/queries';
import { useFlowName } from '../flows/flow-names';
import { fixedField, isOfTool, pathsOf, toolFields, toolWords } from './agent-fields';
import { useShownName } from './choose-operation';
import { FACE_ARGS, MCP_TOOL, OPERATION, faceKeyOf, useFaces } from './faces';
import { Fields } from './fields';
import { useForm } from './form-context';
import { firstValue, withField, type Args, type Field, type Schema } from './form-model';
import { MapInput } from './map-input';
import { faultAt } from './problems';
import { objectOf, schemaAt } from './schema-reading';
import { TextCode } from './text-code';
import classes from './form.module.css';

interface AgentToolProps {
  /** The field of one tool. */
  readonly item: Field;
  readonly tool: Args;
  readonly path: string;
  readonly onChange: (tool: Args) => void;
  readonly onRemove: () => void;
}

interface Described {
  readonly title: string;
  readonly code: string;
  readonly description: string;
  /** Of its arguments; undefined until it is read, and where it is not there. */
  readonly schema: Schema | undefined;
}

/** One tool: closed it says what is particular of it. */
export function AgentTool({ item, tool, path, onChange, onRemove }: AgentToolProps) {
  const { isReadOnly, problems } = useForm();
  const [isOpen, setOpen] = useState(false);
  const { title, code, description, schema } = useDescribed(tool);
  const own = problems.filter(({ field }) => field === path || field.startsWith(`${path}.`));
  const { kind, name } = tool;
  const fields = toolFields(item, kind);
  const others = Object.fromEntries(Object.entries(tool).filter(([each]) => isOfTool(kind, each)));
  const set = (changed: string, value: unknown): void => onChange(withField(tool, changed, value));
  const shownHere = new Set([...fields.map((each) => each.name), 'approve', 'fixed']);
  return (
    <details
      className={classes.tool}
      data-path={path}
      open={isOpen || own.length > 0}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <strong>{typeof name === 'string' && name !== '' ? name : title}</strong>
        <code className="soft">{code}</code>
        <span className="soft">{toolWords(tool).join(' · ')}</span>
      </summary>
      <div className={classes.form}>
        {description !== '' && <p className={classes.faceSays}>{description}</p>}
        {own
          .filter(({ field }) => !shownHere.has(field.slice(path.length + 1).split('.')[0] ?? ''))
          .map(({ message, isError }) => (
            <p key={message} className={isError ? classes.fault : classes.doubt}>
              {message}
            </p>
          ))}
        <Approve
          value={typeof tool.approve === 'string' ? tool.approve : 'never'}
          path={`${path}.approve`}
          onChange={(next) => set('approve', next === 'never' ? undefined : next)}
        />
        <Fixed
          values={objectOf(tool.fixed)}
          path={`${path}.fixed`}
          schema={schema}
          onChange={(next) => set('fixed', Object.keys(next).length === 0 ? undefined : next)}
        />
        <Fields
          fields={fields}
          values={others}
          path={path}
          onChange={(next) => {
            const rest = Object.entries(tool).filter(([each]) => !isOfTool(kind, each));
            onChange({ ...Object.fromEntries(rest), ...next });
          }}
        />
        {!isReadOnly && (
          <Button className={classes.add ?? ''} size="compact-xs" variant="default" onClick={onRemove}>
            Remove this tool
          </Button>
        )}
      </div>
    </details>
  );
}

const MODULES: Readonly<Record<string, string>> = { operation: OPERATION, mcp: MCP_TOOL };

/** What a tool is, as it is known now. */
function useDescribed(tool: Args): Described {
  const appId = MODULES[String(tool.kind)] ?? '';
  const named = { appId, args: tool };
  const face = useFaces([named]).get(faceKeyOf(named) ?? '');
  const flowId = tool.kind === 'flow' && typeof tool.flowId === 'string' ? tool.flowId : '';
  const flow = useQuery({ ...flowQuery(flowId), enabled: flowId !== '', retry: false });
  const flowName = useFlowName(flowId);
  const [whose, what] = (FACE_ARGS[appId] ?? []).map((each) => String(tool[each]));
  const shownName = useShownName(appId === MCP_TOOL, whose ?? '');
  if (tool.kind === 'flow') {
    const schema = flow.data && objectOf(flow.data.argsSchema);
    return { title: flowName, code: 'flow', description: flow.data?.description ?? '', schema };
  }
  const code = whose === undefined ? String(tool.kind) : `${shownName} / ${what}`;
  const title = face?.title === '' ? undefined : face?.title;
  return {
    title: title ?? what ?? '',
    code,
    description: face?.description ?? '',
    schema: face && inputOf(face.argsSchema),
  };
}

/** What an operation or a tool takes, of all that its layer would say. */
function inputOf(schema: Schema): Schema {
  return { ...schemaAt(schema, ['input']), $defs: schema.$defs };
}

interface ApproveProps {
  readonly value: string;
  readonly path: string;
  readonly onChange: (value: string) => void;
}

const BEFORE = [
  { value: 'never', label: 'Nobody is asked' },
  { value: 'always', label: 'A person approves each call' },
  { value: 'condition', label: 'A person approves it if …' },
];

function Approve({ value, path, onChange }: ApproveProps) {
  const { isReadOnly, problems } = useForm();
  const fault = faultAt(problems, path);
  const isCondition = value !== 'never' && value !== 'always';
  return (
    <div className={classes.row} data-path={path}>
      <NativeSelect
        label="Before a call"
        disabled={isReadOnly}
        data={BEFORE}
        value={isCondition ? 'condition' : value}
        onChange={({ currentTarget }) =>
          onChange(currentTarget.value === 'condition' ? '{{ $call.args. > 100 }}' : currentTarget.value)
        }
      />
      {isCondition && (
        <>
          <TextCode
            language="expression"
            label="Condition"
            value={value}
            onChange={onChange}
            isReadOnly={isReadOnly}
            isInvalid={fault !== undefined}
          />
          <p className={classes.hint}>
            Over $call.args and $call.tool. Where it gives nothing or fails, the person is asked.
          </p>
        </>
      )}
      {fault !== undefined && <p className={classes.fault}>{fault}</p>}
    </div>
  );
}

interface FixedProps {
  readonly values: Args;
  readonly path: string;
  readonly schema: Schema | undefined;
  readonly onChange: (values: Args) => void;
}

const ANY: Field = { name: '', kind: 'any', description: '', isRequired: false, isNullable: false, fallback: '' };

/** Arguments that the model neither sees nor decides. */
function Fixed({ values, path, schema, onChange }: FixedProps) {
  const { isReadOnly, renderField, problems } = useForm();
  const paths = schema ? pathsOf(schema) : [];
  const taken = Object.keys(values);
  const left = paths.filter((each) => !taken.some((other) => overlap(each, other)));
  const fault = faultAt(problems, path, false);
  return (
    <div className={classes.row} data-path={path} role="group" aria-label="Fixed arguments">
      <div className={classes.rowHead}>
        <span className={classes.name}>Fixed arguments</span>
        <span className={classes.says}>Weft puts them in; the model neither sees nor decides them.</span>
      </div>
      {paths.length === 0 ? (
        <MapInput item={ANY} entries={values} path={path} label="fixed arguments" onChange={onChange} />
      ) : (
        <>
          {Object.entries(values).map(([name, value]) =>
            renderField(
              {
                field: schema ? fixedField(schema, name) : ANY,
                value,
                path: `${path}.${name}`,
                label: name,
                compact: 'entry',
                onChange: (next) => next !== undefined && onChange({ ...values, [name]: next }),
                onRemove: () => onChange(withField(values, name, undefined)),
              },
              name,
            ),
          )}
          {!isReadOnly && left.length > 0 && (
            <NativeSelect
              aria-label="Fix an argument"
              classNames={{ root: classes.short ?? '' }}
              data={[{ value: '', label: 'Fix an argument …' }, ...left]}
              value=""
              onChange={({ currentTarget: { value: name } }) =>
                name !== '' && schema && onChange({ ...values, [name]: firstValue(fixedField(schema, name)) })
              }
            />
          )}
        </>
      )}
      {fault !== undefined && <p className={classes.fault}>{fault}</p>}
    </div>
  );
}

/** One is within the other. */
function overlap(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`);
}
