import { Input } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { answerOf, api } from '../../api/client';
import type { Known } from '../../editor/expression';
import { TextCode } from '../../editor/text-code';
import { ValueHint } from '../../editor/value-hint';
import { flowKey } from '../queries';
import { hookOf } from './hook-of';
import type { Trigger } from './queries';

interface HookFieldProps {
  readonly flowId: string;
  readonly trigger: Trigger | undefined;
  readonly label: string;
  readonly description: string;
  readonly language: 'expression' | 'json';
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly error: string | undefined;
  readonly hint?: string;
}

/** A text with expressions over a delivery: completion knows the call that was heard, or the last delivery. */
export function HookField(props: HookFieldProps) {
  const { flowId, trigger, label, description, language, value, onChange, error, hint } = props;
  const known = useHook(flowId, trigger);
  return (
    <Input.Wrapper
      size="xs"
      label={label}
      labelElement="div"
      description={description}
      descriptionProps={{ mb: 4 }}
      error={error}
    >
      <TextCode
        language={language}
        label={label}
        value={value}
        onChange={onChange}
        known={known}
        isInvalid={error !== undefined}
        hasUndo
        {...(hint !== undefined && { hint })}
      />
      {language === 'expression' && <ValueHint known={known} text={value} />}
    </Input.Wrapper>
  );
}

const SHAPE = {
  properties: { body: {}, headers: { type: 'object' }, query: { type: 'object' } },
};

function useHook(flowId: string, trigger: Trigger | undefined): Known {
  const tid = trigger?.id ?? '';
  const heard = trigger?.sample?.isComplete ? trigger.sample : null;
  const { data } = useQuery({
    queryKey: [...flowKey(flowId), 'triggers', tid, 'sample'],
    enabled: trigger !== undefined && heard === null,
    retry: false,
    queryFn: () => lastDelivery(flowId, tid, trigger?.args == null),
  });
  return useMemo(() => {
    const variable = { says: 'what arrived', shape: SHAPE, value: heard ? hookOf(heard) : (data ?? undefined) };
    const nothing = { refs: [], args: undefined, argsShape: {}, outs: new Map(), used: new Map() };
    return { ...nothing, variables: new Map([['$hook', variable]]) };
  }, [data, heard]);
}

/** @param isPassedOn whether a play has the delivery as its arguments, as it came */
async function lastDelivery(flowId: string, tid: string, isPassedOn: boolean): Promise<unknown> {
  const params = { path: { flowId, tid }, query: { size: 1 } };
  const { items } = await answerOf(api.GET('/api/v1/flows/{flowId}/triggers/{tid}/deliveries', { params }));
  const [last] = items;
  if (!last) return null;
  const { headers, query, playId } = last;
  if (!isPassedOn || playId === null) return { headers, query };
  const play = await answerOf(api.GET('/api/v1/plays/{id}', { params: { path: { id: playId } } }));
  return { headers, query, ...play.args };
}
