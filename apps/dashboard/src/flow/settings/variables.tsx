import { Button, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client';
import { faultOf } from '../../api/refusal';
import { ErrorNotice } from '../../ui/error-notice';
import { readObject } from '../../values/json-text';
import { flowKey, type Flow } from '../queries';
import classes from '../../ui/form.module.css';

interface VariablesProps {
  readonly flow: Flow;
  /** New values by name, as JSON. */
  readonly value: string;
  readonly error: unknown;
  readonly onChange: (text: string) => void;
}

/** The variables that the layers read: of a blueprint what its flows are made with, of another flow its own values. */
export function Variables({ flow, value, error, onChange }: VariablesProps) {
  const { data, error: fault } = useQuery({
    queryKey: [...flowKey(flow.id), 'blueprint-vars', flow.version],
    // what was just saved has the same: nothing jumps
    placeholderData: keepPreviousData,
    queryFn: async () => {
      const params = { path: { flowId: flow.id } };
      return (await answerOf(api.GET('/api/v1/flows/{flowId}/blueprint-vars', { params }))).items;
    },
  });
  if (fault) return <ErrorNotice error={fault} />;
  if (!data || (data.length === 0 && !flow.isBlueprint)) return null;
  const read = readObject(value);
  const typed = 'value' in read ? read.value : {};
  const set = (name: string, text: string): void => {
    const { [name]: _, ...others } = typed;
    onChange(JSON.stringify(text === '' ? others : { ...others, [name]: text }));
  };
  return (
    <fieldset className={classes.choices}>
      <legend>{flow.isBlueprint ? 'Variables of the blueprint' : 'Variables'}</legend>
      {data.length === 0 && (
        <p className="soft">
          None: a layer reads one as <code>{'{{ $blueprint.name }}'}</code>.
        </p>
      )}
      {Object.keys(typed).length > 0 && (
        <Button size="compact-sm" variant="default" onClick={() => onChange('{}')}>
          Leave all values as they are
        </Button>
      )}
      {data.map(({ name, refs }) =>
        flow.isBlueprint ? (
          <p key={name}>
            <code>{name}</code> <span className="soft">read by {wordsOf(refs)}</span>
          </p>
        ) : (
          <TextInput
            key={name}
            label={name}
            description={`Read by ${wordsOf(refs)}. Empty: its value stays; values are not shown.`}
            autoComplete="off"
            maxLength={65_536}
            value={typeof typed[name] === 'string' ? typed[name] : ''}
            error={faultOf(error, `blueprintVars.${name}`)}
            onChange={(event) => set(name, event.currentTarget.value)}
          />
        ),
      )}
    </fieldset>
  );
}

const MOST_NAMED = 5;

function wordsOf(refs: readonly string[]): string {
  if (refs.length === 0) return 'the condition of the flow';
  const more = refs.length - MOST_NAMED;
  return [...refs.slice(0, MOST_NAMED), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}
