import { Button } from '@mantine/core';
import type { paths } from '@weft/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { answerOf, api as client } from '../api/client';
import { Icon } from '../ui/icon';
import { showError } from '../ui/show-error';
import classes from './apis.module.css';

interface CallableRowProps {
  readonly title: string;
  readonly code: string;
  readonly marks: ReactNode;
  readonly action: ReactNode;
  /** What is shown when the row is opened. */
  readonly children: ReactNode;
}

/** One operation or tool in a list of those that layers can call. */
export function CallableRow({ title, code, marks, action, children }: CallableRowProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <div className={classes.operation}>
        <button type="button" className={classes.toggle} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name={isOpen ? 'down' : 'chevron'} size={13} />
          <span className={classes.what}>
            <span dir="auto">{title}</span>
            <code className="soft">{code}</code>
          </span>
          {marks}
        </button>
        {action}
      </div>
      {isOpen && children}
    </li>
  );
}

type FlowBody = paths['/api/v1/flows']['post']['requestBody']['content']['application/json'];

interface NewFlowProps {
  readonly name: string;
  readonly title: string;
  /** The layer that calls it. */
  readonly layer: () => Promise<Omit<NonNullable<FlowBody['layers']>[number], 'name'>>;
}

/** Of flows and layers. */
const MOST_NAME = 200;

/** A flow that calls one with what it requires, from the arguments of the run, and does nothing else yet. */
export function NewFlowWith({ name, title, layer }: NewFlowProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const words = (title || name).slice(0, MOST_NAME);
  const make = useMutation({
    mutationFn: async () => {
      const layers = [{ ...(await layer()), name: words }];
      return answerOf(client.POST('/api/v1/flows', { body: { name: words, layers } }));
    },
    onError: showError,
    onSuccess: ({ id }) => {
      void queries.invalidateQueries({ queryKey: ['flows'] });
      void navigate({ to: '/flows/$flowId', params: { flowId: id } });
    },
  });
  return (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={`New flow with ${name}`}
      loading={make.isPending}
      onClick={() => make.mutate()}
    >
      New flow
    </Button>
  );
}
