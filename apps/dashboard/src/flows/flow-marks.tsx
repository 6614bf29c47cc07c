import type { components } from '@weft/client';
import classes from './flows.module.css';

type Flow = components['schemas']['Flow'];

/** What is special about a flow, in a word each. A flow that simply runs has none. */
export function FlowMarks({ flow }: { readonly flow: Flow }) {
  const faults = flow.errors.length;
  return (
    <>
      {flow.filteredAt !== null && <Mark kind="off">Deleted</Mark>}
      {flow.isBlueprint && <Mark kind="plain">Blueprint</Mark>}
      {!flow.enabled && !flow.isBlueprint && flow.filteredAt === null && (
        <Mark kind="off" title="Runs are refused until it is enabled">
          Paused
        </Mark>
      )}
      {flow.restricted && (
        <Mark kind="plain" title="Only admins, its creator and people with a grant may use it">
          Restricted
        </Mark>
      )}
      {flow.settings.publish === 'manual' && flow.publishedVersion !== flow.version && !flow.isBlueprint && (
        <Mark
          kind="plain"
          title={
            flow.publishedVersion === null
              ? 'Nothing of it was published yet: it cannot be run'
              : `Runs use version ${flow.publishedVersion} until this one is published`
          }
        >
          Draft
        </Mark>
      )}
      {flow.valid === false && (
        <Mark kind="bad" title={flow.errors[0]?.message}>
          {faults === 1 ? '1 fault' : `${faults} faults`}
        </Mark>
      )}
    </>
  );
}

interface MarkProps {
  readonly kind: 'plain' | 'off' | 'bad';
  readonly title?: string | undefined;
  readonly children: string;
}

export function Mark({ kind, title, children }: MarkProps) {
  return (
    <span className={classes.mark} data-kind={kind} title={title}>
      {children}
    </span>
  );
}
