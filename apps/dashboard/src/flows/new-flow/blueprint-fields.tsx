import { Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client';
import type { Given } from './sources';

interface BlueprintFieldsProps {
  readonly blueprint: string | null;
  /** Of its variables; null while they are read. */
  readonly names: readonly string[] | null;
  readonly vars: Given['vars'];
  readonly onChange: (fields: Partial<Given>) => void;
}

export function BlueprintFields({ blueprint, names, vars, onChange }: BlueprintFieldsProps) {
  const { data } = useQuery({
    queryKey: ['flows', 'blueprints'],
    queryFn: async () => {
      const query = { isBlueprint: true, size: 200 };
      return (await answerOf(api.GET('/api/v1/flows', { params: { query } }))).items;
    },
  });
  return (
    <>
      <Select
        label="Blueprint"
        placeholder={data?.length === 0 ? 'There is no blueprint yet' : 'Choose one'}
        required
        searchable
        data={(data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        value={blueprint}
        onChange={(id) => onChange({ blueprint: id })}
      />
      {names?.map((each) => (
        <TextInput
          key={each}
          label={each}
          description="A variable of the blueprint"
          value={vars[each] ?? ''}
          onChange={(event) => onChange({ vars: { ...vars, [each]: event.currentTarget.value } })}
        />
      ))}
    </>
  );
}

/** Names of the variables that a blueprint reads; null while they are read. */
export function useBlueprintVars(id: string | null): readonly string[] | null {
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
