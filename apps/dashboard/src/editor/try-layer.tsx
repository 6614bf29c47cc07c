import type { components } from '@weft/client';
import { Button, NumberInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../api/client';
import { Refusal } from '../api/refusal';
import { bytesText } from '../ui/bytes';
import { ErrorNotice } from '../ui/error-notice';
import { withoutTwin } from '../play/without-twin';
import { StateBadge } from '../ui/state-badge';
import { jsonText, readObject } from '../values/json-text';
import { ValueTree } from '../values/value-tree';
import { bodyOf, type DraftLayer, type Layers } from './draft';
import { useKeepSample } from './keep-sample';
import { KeptSampleOf } from './kept-sample';
import { TextCode } from './text-code';
import type { Sample } from './use-known';
import classes from './panels.module.css';

type Tried = components['schemas']['LayerTry'];

interface TryLayerProps {
  readonly flowId: string;
  readonly layer: DraftLayer;
  readonly layers: Layers;
  readonly sample: Sample;
}

/** Calls the layer for real, once, as it is in the form; what may change something is shown before. */
export function TryLayer({ flowId, layer, layers, sample }: TryLayerProps) {
  const [args, setArgs] = useState(() => jsonText(sample.args ?? {}));
  const [item, setItem] = useState(0);
  const read = readObject(args);
  const call = useMutation({
    mutationFn: ({ confirm }: { readonly confirm: boolean }) => {
      const { id: _id, ...asWritten } = bodyOf(layer);
      return answerOf(
        api.POST('/api/v1/flows/{flowId}/layers/try', {
          params: { path: { flowId } },
          body: {
            layer: asWritten,
            layers: layers.map(bodyOf),
            args: 'value' in read ? read.value : {},
            outs: outsFor(layer, sample),
            confirm,
            ...(layer.forEach !== null && { item }),
          },
        }),
      );
    },
  });
  const asked = askedIn(call.error);
  return (
    <div className={classes.result}>
      <p className="soft">
        Calls it once, for real, as it is here, saved or not. No play is made of it. Layers before it give their
        samples.
      </p>
      <div data-own-undo>
        <h3>Arguments of the run</h3>
        <TextCode
          language="json"
          label="Arguments of the run"
          value={args}
          onChange={setArgs}
          isInvalid={'fault' in read}
          hasUndo
        />
        {'fault' in read && <p className={classes.fault}>{read.fault}</p>}
      </div>
      <div className={classes.buttons}>
        {layer.forEach !== null && (
          <NumberInput
            size="xs"
            w="7rem"
            label="Item, from 0"
            min={0}
            max={9_999}
            allowDecimal={false}
            value={item}
            onChange={(next) => setItem(Number(next) || 0)}
          />
        )}
        <Button
          loading={call.isPending}
          disabled={'fault' in read}
          onClick={() => call.mutate({ confirm: false })}
          style={{ alignSelf: 'end' }}
        >
          Try
        </Button>
      </div>
      {asked && (
        <Asked
          asked={asked}
          at={layer.ref}
          isPending={call.isPending}
          onConfirm={() => call.mutate({ confirm: true })}
        />
      )}
      {call.isError && !asked && <ErrorNotice error={call.error} />}
      {call.data && <Answer flowId={flowId} at={layer.ref} tried={call.data} />}
      <KeptSampleOf key={layer.ref} flowId={flowId} at={layer.ref} sample={sample.kept.get(layer.ref)} />
    </div>
  );
}

/** Before anything is kept, what the last play had is better than nothing. */
function outsFor(layer: DraftLayer, { kept, outs }: Sample): Record<string, unknown> {
  if (kept.size > 0) return {};
  const text = JSON.stringify([layer.args, layer.forEach]);
  return Object.fromEntries([...outs].filter(([ref]) => text.includes(ref)));
}

interface AskedCall {
  readonly request: Tried['request'];
  readonly args: unknown;
}

/** What would be sent, when the server wants to hear that it may be. */
function askedIn(error: unknown): AskedCall | null {
  if (!(error instanceof Refusal) || error.code !== 'confirm_needed') return null;
  const { request = null, args } = error.problem as unknown as Partial<AskedCall>;
  return { request, args };
}

interface AskedProps {
  readonly asked: AskedCall;
  readonly at: string;
  readonly isPending: boolean;
  readonly onConfirm: () => void;
}

function Asked({ asked: { request, args }, at, isPending, onConfirm }: AskedProps) {
  return (
    <div className={classes.conflict} role="alert">
      <p>
        <strong>This may change something outside.</strong> It will be sent:
      </p>
      {request && <Request request={request} />}
      <ValueTree value={args} label={`What ${at} would send`} />
      <div className={classes.buttons}>
        <Button color="red.9" loading={isPending} onClick={onConfirm}>
          Make the call
        </Button>
      </div>
    </div>
  );
}

function Request({ request: { method, url } }: { readonly request: NonNullable<Tried['request']> }) {
  return (
    <p className={classes.request}>
      <strong>{method}</strong> {url}
    </p>
  );
}

function Answer({ flowId, at, tried }: { readonly flowId: string; readonly at: string; readonly tried: Tried }) {
  const { out, outBytes, isCut, error, durationMs, request, logs, args, unresolved } = tried;
  const { keep } = useKeepSample(flowId, at);
  return (
    <div className={classes.result} role="status">
      <div className={classes.line}>
        <StateBadge state={error ? 'FAIL' : 'DONE'} big />
        {durationMs > 0 && <span className="soft">{durationMs} ms</span>}
        {error && (
          <span className={classes.fault}>
            <strong>{error.code}</strong> {error.message}
          </span>
        )}
      </div>
      {request && <Request request={request} />}
      {unresolved.map(({ path, reason }) => (
        <p key={path} className={classes.fault}>
          <code>{path}</code> {reason}
        </p>
      ))}
      {out !== null && <ValueTree value={withoutTwin(out)} label={`Answer of ${at}`} expression={`.${at}`} />}
      {isCut && <p className="soft">Only the first part is shown: the whole output has {bytesText(outBytes)}.</p>}
      {out !== null && (
        <div className={classes.buttons}>
          <Button variant={error ? 'default' : 'filled'} loading={keep.isPending} onClick={() => keep.mutate(out)}>
            Keep as sample
          </Button>
        </div>
      )}
      {logs.length > 0 && (
        <details className={classes.layer}>
          <summary>What it reported ({logs.length})</summary>
          <pre className={classes.logs}>{logs.join('\n')}</pre>
        </details>
      )}
      {args !== null && (
        <details className={classes.layer}>
          <summary>What it was given</summary>
          <ValueTree value={args} label={`What ${at} was given`} />
        </details>
      )}
    </div>
  );
}
