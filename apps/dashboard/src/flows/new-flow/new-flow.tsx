import { Tabs, TextInput } from '@mantine/core';
import { specialist } from '@weft/access';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { answerOf, api } from '../../api/client';
import { firstPages } from '../../api/first-pages';
import { faultOf } from '../../api/refusal';
import { APIS_KEY } from '../../apis/queries';
import { may, useMe } from '../../session/me';
import { FormDialog } from '../../ui/form-dialog';
import { useFields } from '../../ui/use-fields';
import { NEW_FROM, type NewFrom } from '../flows-search';
import { BlueprintFields, useBlueprintVars } from './blueprint-fields';
import { CurlFields } from './curl-fields';
import { ImportFields } from './import-fields';
import { RecipeFields } from './recipe-fields';
import { RECIPES } from './recipes';
import { makerOf, type Given } from './sources';

const NAMES: Readonly<Record<NewFrom, string>> = {
  nothing: 'From nothing',
  recipe: 'From a recipe',
  curl: 'From a curl command',
  blueprint: 'From a blueprint',
  document: 'From a document',
};

interface NewFlowProps {
  readonly onClose: () => void;
  readonly from?: NewFrom;
  /** To begin with. */
  readonly blueprintId?: string;
  /** A key. */
  readonly recipe?: string | undefined;
}

export function NewFlow({ onClose, from = 'nothing', blueprintId, recipe }: NewFlowProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [source, setSource] = useState<NewFrom>(from);
  const { form, set, isDirty } = useFields((): Given => ({
    ...{ name: '', curl: '', document: '', vars: {} },
    blueprint: blueprintId ?? null,
    recipe: RECIPES.find(({ key }) => key === recipe) ?? null,
  }));
  const names = useBlueprintVars(source === 'blueprint' ? form.blueprint : null);
  const apis = useApiKeys(source === 'recipe' && form.recipe !== null && form.recipe.apis.length > 0);
  const mayImport = may(useMe(), specialist('integration_manager'));
  const missing = apis ? (form.recipe?.apis ?? []).filter((key) => !apis.has(key)) : [];
  const isKnown = source !== 'recipe' || !form.recipe?.apis.length || apis !== undefined;
  const maker = isKnown ? makerOf(source, form, names, mayImport ? missing : []) : null;
  const make = useMutation({
    mutationFn: async () => maker?.(),
    onSuccess: (flow) => {
      if (!flow) return;
      void queries.invalidateQueries({ queryKey: ['flows'] });
      void queries.invalidateQueries({ queryKey: APIS_KEY });
      void navigate({ to: '/flows/$flowId', params: { flowId: flow.id } });
    },
  });
  const isNamed = source === 'nothing' || source === 'blueprint';
  const isChoosing = source === 'recipe' && form.recipe === null;
  return (
    <FormDialog
      title="New flow"
      help="docs/flows.md"
      action="Make the flow"
      size={source === 'recipe' ? '62rem' : '46rem'}
      isReady={maker !== null}
      isPending={make.isPending}
      isDirty={isDirty}
      error={make.error}
      onSubmit={() => make.mutate()}
      onClose={onClose}
    >
      <Tabs
        value={source}
        onChange={(next) => {
          make.reset();
          setSource(next as NewFrom);
        }}
      >
        <Tabs.List aria-label="What it is made from">
          {NEW_FROM.map((each) => (
            <Tabs.Tab key={each} value={each}>
              {NAMES[each]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </Tabs>
      {source === 'recipe' && (
        <RecipeFields recipe={form.recipe} vars={form.vars} missing={missing} mayImport={mayImport} onChange={set} />
      )}
      {source === 'curl' && <CurlFields text={form.curl} onChange={(curl) => set({ curl })} />}
      {!isChoosing && (
        <TextInput
          label="Name"
          description={isNamed ? undefined : `Empty: that of the ${source === 'curl' ? 'request' : source}.`}
          placeholder={source === 'recipe' ? form.recipe?.document.name : undefined}
          required={isNamed}
          maxLength={200}
          data-autofocus={isNamed}
          value={form.name}
          error={faultOf(make.error, 'name')}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
      )}
      {source === 'blueprint' && (
        <BlueprintFields blueprint={form.blueprint} names={names} vars={form.vars} onChange={set} />
      )}
      {source === 'document' && <ImportFields text={form.document} onChange={(document) => set({ document })} />}
    </FormDialog>
  );
}

/** Keys of the APIs of the company; undefined while they are read. */
function useApiKeys(enabled: boolean): ReadonlySet<string | null> | undefined {
  const { data } = useQuery({
    queryKey: [...APIS_KEY, 'keys'],
    enabled,
    queryFn: async () => {
      const all = await firstPages((query) => answerOf(api.GET('/api/v1/apis', { params: { query } })));
      return new Set(all.map(({ key }) => key));
    },
  });
  return data;
}
