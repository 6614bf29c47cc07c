import { Button, Checkbox } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Mark } from '../flows/flow-marks';
import { ErrorNotice } from '../ui/error-notice';
import { showError } from '../ui/show-error';
import { Time } from '../ui/time';
import { adopt as adoptIn, diffKey, diffQuery, type Adoption, type ApiDiff, type Compared } from './queries';
import classes from './apis.module.css';

type Flow = ApiDiff['flows'][number];
type Change = ApiDiff['operations'][number]['changes'][number];
type Result = ApiDiff['operations'][number]['result'];

/** What the last refresh, or comparison, has found, and what it means for the flows that call the API. */
export function Differences({ api }: { readonly api: Compared }) {
  const { data, error, refetch } = useQuery(diffQuery(api));
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data?.refresh) return null;
  const { refresh, operations, flows } = data;
  const what = api.isServer ? TOOL : OPERATION;
  return (
    <section className={classes.section} aria-label="Differences">
      <h2>{refresh.dryRun ? 'What a refresh would change' : 'What the last refresh changed'}</h2>
      <p>
        {refresh.dryRun ? 'Compared' : 'Refreshed'} <Time at={refresh.at} />: {countWords(refresh.counts, what.one)}.
        {refresh.dryRun && what.compared}
      </p>
      {operations.length > 0 && <ChangedOperations operations={operations} words={what} />}
      {/* what was chosen is of one refresh */}
      <TouchedFlows key={refresh.at} api={api} flows={flows} isDryRun={refresh.dryRun} />
    </section>
  );
}

const OPERATION = {
  one: 'operation',
  many: 'operations',
  compared: ' The operations are as they were: “Refresh …” takes the document.',
} as const;
const TOOL = {
  one: 'tool',
  many: 'tools',
  compared: ' The tools are as they were: “Refresh …” takes those that the server offers now.',
} as const;
type Words = typeof OPERATION | typeof TOOL;

function countWords(counted: NonNullable<ApiDiff['refresh']>['counts'], one: string): string {
  const { added, removed, breaking, changed } = counted;
  const counts = [
    [added, 'added'],
    [removed, 'removed'],
    [breaking, 'breaking'],
    [changed, 'changed'],
  ] as const;
  const words = counts.filter(([n]) => n > 0).map(([n, word]) => `${n.toLocaleString()} ${word}`);
  return words.length === 0 ? `no ${one} differs` : words.join(', ');
}

const MARKS: Readonly<Record<Result, readonly ['plain' | 'off' | 'bad', string]>> = {
  added: ['plain', 'Added'],
  removed: ['bad', 'Removed'],
  breaking: ['bad', 'Breaking'],
  changed: ['plain', 'Changed'],
};

function ResultMark({ result }: { readonly result: Result }) {
  const [kind, word] = MARKS[result];
  return <Mark kind={kind}>{word}</Mark>;
}

function ChangedOperations({ operations, words }: Pick<ApiDiff, 'operations'> & { readonly words: Words }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={classes.findings} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{words === TOOL ? 'Tools' : 'Operations'} that differ</summary>
      <ul>
        {(isOpen ? operations : []).map(({ operation, digest, result, changes }) => (
          <li key={`${operation}@${digest}`}>
            <ResultMark result={result} /> <code>{operation}</code>
            <Changes changes={changes} />
          </li>
        ))}
      </ul>
    </details>
  );
}

const PLACES = { args: 'takes', out: 'answers', plan: 'is sent with' } as const;
const WHAT: Readonly<Record<Change['what'], string>> = {
  added: 'is new',
  removed: 'is gone',
  required: 'is required now',
  optional: 'is optional now',
  type: 'has another type',
  values: 'has other values',
  choices: 'has other choices',
  bounds: 'has other bounds',
  unknown: 'cannot be compared',
};

/** Of one operation; the others are in the API. */
const MOST_CHANGES = 20;

function Changes({ changes }: { readonly changes: readonly Change[] }) {
  const more = changes.length - MOST_CHANGES;
  if (changes.length === 0) return null;
  return (
    <ul>
      {changes.slice(0, MOST_CHANGES).map(({ place, path, what, breaks }, i) => (
        <li key={i}>
          {PLACES[place]} {path !== '' && <code>{path}</code>} {WHAT[what]}
          {breaks && (
            <>
              , <strong>which breaks</strong>
            </>
          )}
        </li>
      ))}
      {more > 0 && <li className="soft">and {more.toLocaleString()} more</li>}
    </ul>
  );
}

interface TouchedFlowsProps {
  readonly api: Compared;
  readonly flows: readonly Flow[];
  /** Nothing was taken that they could adopt. */
  readonly isDryRun: boolean;
}

interface Outcome extends Adoption {
  readonly name: string;
}

/** Flows in one request: what became of them is shown after each. */
const AT_ONCE = 10;

function TouchedFlows({ api, flows, isDryRun }: TouchedFlowsProps) {
  const { one, many } = api.isServer ? TOOL : OPERATION;
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(flows.filter(isHarmless).map(idOf)));
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const wanted = flows.filter((flow) => chosen.has(flow.flowId) && isAdoptable(flow));
  const adopt = useMutation({
    mutationFn: async () => {
      setOutcomes([]);
      const names = new Map(flows.map(({ flowId, name }) => [flowId, name]));
      for (let at = 0; at < wanted.length; at += AT_ONCE) {
        const { items } = await adoptIn(api, wanted.slice(at, at + AT_ONCE).map(idOf));
        const named = items.map((item) => ({ ...item, name: names.get(item.flowId) ?? item.flowId }));
        setOutcomes((before) => [...before, ...named]);
      }
    },
    onError: showError,
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: diffKey(api.id) });
      void queries.invalidateQueries({ queryKey: ['flow'] });
      void queries.invalidateQueries({ queryKey: ['flows'] });
    },
  });
  const toggle = (id: string): void => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  return (
    <>
      {outcomes.length > 0 && <Outcomes outcomes={outcomes} />}
      {flows.length === 0 && outcomes.length === 0 && (
        <p className="soft">No flow calls {one === 'tool' ? 'a tool' : 'an operation'} that differs.</p>
      )}
      {flows.length > 0 && (
        <>
          <h3>Flows that call these {many}</h3>
          {!isDryRun && (
            <p className="soft">
              {api.isServer
                ? 'Their calls of these tools fail until they adopt them, or the server offers the former ones again.'
                : 'They run as before.'}{' '}
              A flow that adopts the {many} as they are now gets a new version, after its required test cases have
              passed.
            </p>
          )}
          <ul className={classes.flows}>
            {flows.map((flow) => (
              <li key={flow.flowId} className="panel">
                <OneFlow
                  flow={flow}
                  isChosen={chosen.has(flow.flowId)}
                  onToggle={isDryRun ? null : () => toggle(flow.flowId)}
                />
              </li>
            ))}
          </ul>
          {!isDryRun && (
            <div>
              <Button disabled={wanted.length === 0} loading={adopt.isPending} onClick={() => adopt.mutate()}>
                Adopt in {wanted.length === 1 ? '1 flow' : `${wanted.length} flows`}
              </Button>
            </div>
          )}
        </>
      )}
    </>
  );
}

interface OneFlowProps {
  readonly flow: Flow;
  readonly isChosen: boolean;
  /** Null: it is not chosen from. */
  readonly onToggle: (() => void) | null;
}

function OneFlow({ flow, isChosen, onToggle }: OneFlowProps) {
  const { flowId, name, layers, testCases } = flow;
  return (
    <>
      <div className={classes.line}>
        {onToggle && (
          <Checkbox
            aria-label={`Adopt in ${name}`}
            checked={isChosen && isAdoptable(flow)}
            disabled={!isAdoptable(flow)}
            onChange={onToggle}
          />
        )}
        <Link dir="auto" to="/flows/$flowId" params={{ flowId }}>
          {name}
        </Link>
      </div>
      <ul>
        {layers.map(({ ref, operation, result, changes }) => (
          <li key={ref}>
            <ResultMark result={result} /> layer <code>{ref}</code> calls <code>{operation}</code>
            {result === 'removed' && ', and stays pinned to it as it was'}
            <Changes changes={changes} />
          </li>
        ))}
      </ul>
      {testCases.length > 0 && (
        <p>
          Test cases with a fixture for {layers.length === 1 ? 'it' : 'them'}:{' '}
          <Link to="/flows/$flowId" params={{ flowId }} search={{ tab: 'test-cases' }}>
            {testCases.map((each) => `${each.name}${each.required ? ' (required)' : ''}`).join(', ')}
          </Link>
        </p>
      )}
    </>
  );
}

const OUTCOMES: Readonly<Record<Adoption['result'], readonly ['plain' | 'bad', string]>> = {
  adopted: ['plain', 'Adopted'],
  unchanged: ['plain', 'Unchanged'],
  refused: ['bad', 'Refused'],
};

function Outcomes({ outcomes }: { readonly outcomes: readonly Outcome[] }) {
  return (
    <div role="status" aria-label="What became of the flows">
      <ul className={classes.outcomes}>
        {outcomes.map(({ flowId, name, result, version, message, errors }) => (
          <li key={flowId}>
            <Mark kind={OUTCOMES[result][0]}>{OUTCOMES[result][1]}</Mark>{' '}
            <Link to="/flows/$flowId" params={{ flowId }}>
              {name}
            </Link>
            {result === 'adopted' && `, version ${version}`}
            {message !== null && `: ${message}`}
            {errors.length > 1 && (
              <ul>
                {errors.map(({ path, message: why }, i) => (
                  <li key={i}>
                    <code>{path}</code> {why}
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

const idOf = ({ flowId }: Flow): string => flowId;

/** Chosen from the start. */
function isHarmless({ layers }: Flow): boolean {
  return layers.every(({ result }) => result === 'changed');
}

function isAdoptable({ layers }: Flow): boolean {
  return layers.some(({ result }) => result !== 'removed');
}
