import { SegmentedControl, Select, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { answerOf, api } from '../api/client';
import { faultOf } from '../api/refusal';
import { FormDialog } from '../ui/form-dialog';
import { ImportFields, readDocument } from './import-fields';

type Source = 'nothing' | 'blueprint' | 'document';

const SOURCES = [
  { value: 'nothing', label: 'From nothing' },
  { value: 'blueprint', label: 'From a blueprint' },
  { value: 'document', label: 'From a document' },
];

interface NewFlowProps {
  readonly onClose: () => void;
  /** To begin with. */
  readonly blueprintId?: string;
}

export function NewFlow({ onClose, blueprintId }: NewFlowProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [source, setSource] = useState<Source>(blueprintId === undefined ? 'nothing' : 'blueprint');
  const [name, setName] = useState('');
  const [blueprint, setBlueprint] = useState(blueprintId ?? null);
  const [vars, setVars] = useState<Readonly<Record<string, string>>>({});
  const [text, setText] = useState('');
  const names = useBlueprintVars(source === 'blueprint' ? blueprint : null);
  const document = readDocument(text);
  const make = useMutation({
    mutationFn: () => {
      if (source === 'blueprint') {
        const blueprintVars = Object.fromEntries((names ?? []).map((each) => [each, vars[each] ?? '']));
        const params = { path: { flowId: blueprint ?? '' } };
        return answerOf(api.POST('/api/v1/flows/{flowId}/instantiate', { params, body: { name, blueprintVars } }));
      }
      if (source === 'document' && 'value' in document) {
        const body = { document: document.value, ...(name !== '' && { name }) };
        return answerOf(api.POST('/api/v1/flows/import', { body: body as never }));
      }
      return answerOf(api.POST('/api/v1/flows', { body: { name } }));
    },
    onSuccess: ({ id }) => {
      void queries.invalidateQueries({ queryKey: ['flows'] });
      void navigate({ to: '/flows/$flowId', params: { flowId: id } });
    },
  });
  const isReady =
    source === 'nothing' ? name !== '' : source === 'blueprint' ? name !== '' && names !== null : 'value' in document;
  return (
    <FormDialog
      title="New flow"
      action="Make the flow"
      isReady={isReady}
      isPending={make.isPending}
      isDirty={name !== '' || text !== ''}
      error={make.error}
      onSubmit={() => make.mutate()}
      onClose={onClose}
    >
      <SegmentedControl
        aria-label="What it is made from"
        fullWidth
        data={SOURCES}
        value={source}
        onChange={(value) => {
          make.reset();
          setSource(value as Source);
        }}
      />
      <TextInput
        label="Name"
        description={source === 'document' ? 'That of the document without it.' : undefined}
        required={source !== 'document'}
        maxLength={200}
        data-autofocus
        value={name}
        error={faultOf(make.error, 'name')}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {source === 'blueprint' && (
        <>
          <BlueprintSelect value={blueprint} onChange={setBlueprint} />
          {names?.map((each) => (
            <TextInput
              key={each}
              label={each}
              description="A variable of the blueprint"
              value={vars[each] ?? ''}
              onChange={(event) => setVars({ ...vars, [each]: event.currentTarget.value })}
            />
          ))}
        </>
      )}
      {source === 'document' && <ImportFields text={text} onChange={setText} />}
    </FormDialog>
  );
}

interface BlueprintSelectProps {
  readonly value: string | null;
  readonly onChange: (id: string | null) => void;
}

function BlueprintSelect({ value, onChange }: BlueprintSelectProps) {
  const { data } = useQuery({
    queryKey: ['flows', 'blueprints'],
    queryFn: async () => {
      const query = { isBlueprint: true, size: 200 };
      return (await answerOf(api.GET('/api/v1/flows', { params: { query } }))).items;
    },
  });
  return (
    <Select
      label="Blueprint"
      placeholder={data?.length === 0 ? 'There is no blueprint yet' : 'Choose one'}
      required
      searchable
      data={(data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
      value={value}
      onChange={onChange}
    />
  );
}

/** Names of the variables that a blueprint reads; null while they are read. */
function useBlueprintVars(id: string | null): readonly string[] | null {
  const { data } = useQuery({
    queryKey: ['flow', id, 'blueprint-vars'],
    enabled: id !== null,
    queryFn: async () => {
      const params = { path: { flowId: id ?? '' } };
      return (await answerOf(api.GET('/api/v1/flows/{flowId}/blueprint-vars', { params }))).items.map(
        ({ name }) => name,
      );
    },
  });
  return data ?? null;
}
