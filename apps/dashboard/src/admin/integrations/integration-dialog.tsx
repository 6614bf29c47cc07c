import type { components } from '@weft/client';
import { Button, PasswordInput, Select, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { answerOf, api } from '../../api/client';
import { faultOf } from '../../api/refusal';
import { useMe } from '../../session/me';
import { FormDialog } from '../../ui/form-dialog';
import { useSave } from '../../ui/use-command';
import {
  areComplete,
  areOther,
  fieldsOf,
  hasSecret,
  isOther,
  KIND_CHOICES,
  namesIn,
  rowsOf,
  toHeadersBody,
  toKindBody,
  valuesOf,
  withRow,
  type HeaderRow,
  type KindValues,
  type LinkKind,
  type Secrets,
} from './kinds';
import form from '../../ui/form.module.css';

export type Integration = components['schemas']['Integration'];

/** All that is known of a link but its secrets. */
export interface LinkStart {
  readonly name: string;
  readonly type: string;
  readonly endpoint: string | null;
  readonly kind: LinkKind;
  readonly settings: Integration['Settings'];
  readonly scopes: readonly string[];
}

interface IntegrationDialogProps {
  /** The one to change; none: a new one. */
  readonly link?: Integration;
  /** What a new one begins with; another object, when something else is chosen. */
  readonly start?: LinkStart;
  /** Of what the new one is for. */
  readonly title?: string;
  readonly children?: ReactNode;
  /** What is done with the new one; it is done again when it has failed. */
  readonly onMade?: (id: string) => Promise<unknown>;
  readonly onClose: () => void;
}

export function IntegrationDialog({ link, start, title, children, onMade, onClose }: IntegrationDialogProps) {
  const [type, setType] = useState(start?.type ?? '');
  const [name, setName] = useState(link?.Name ?? start?.name ?? '');
  const [key, setKey] = useState(link?.Key ?? '');
  const [endpoint, setEndpoint] = useState(link?.Endpoint ?? start?.endpoint ?? '');
  const [kind, setKind] = useState<LinkKind>(link?.Kind ?? start?.kind ?? 'bearer');
  const begun = link ? valuesOf(link.Settings, link.Scopes) : start && valuesOf(start.settings, start.scopes);
  const [values, setValues] = useState<KindValues>(begun ?? {});
  const [rows, setRows] = useState<readonly HeaderRow[]>(rowsOf(link?.Settings ?? start?.settings ?? {}));
  const [made, setMade] = useState<string | null>(null);
  const [shown, setShown] = useState(start);
  // another one was chosen: name and type stay
  if (start && start !== shown) {
    setShown(start);
    setEndpoint(start.endpoint ?? '');
    setKind(start.kind);
    setValues(valuesOf(start.settings, start.scopes));
    setRows(rowsOf(start.settings));
  }
  const [secrets, setSecrets] = useState<Secrets>({});
  const me = useMe();
  const inRows = kind === 'headers';
  const isNew = inRows ? Object.values(secrets).some((secret) => secret !== '') : hasSecret(values);
  const address = endpoint.trim();
  const isRekeyed = key.trim() !== (link?.Key ?? '');
  const kindBody = inRows ? toHeadersBody(rows, secrets) : toKindBody(kind, values, link?.Settings, address);
  /** A stored token is never sent to another place, or in another way: the API takes both only with the token for it. */
  const isElsewhere = address !== (link?.Endpoint ?? '');
  const isShownElse =
    link !== undefined &&
    (inRows ? areOther(rows, link.Settings) : isOther(kind, values, valuesOf(link.Settings, link.Scopes), address));
  const needsSecret = !link || isElsewhere || isShownElse || isNew;
  const stays = isElsewhere
    ? 'A new endpoint comes with its token: the stored one is not sent there.'
    : isShownElse
      ? 'A change of the settings comes with the token: the stored one is not sent in another way.'
      : 'Empty: the stored one stays.';
  const fields = fieldsOf(kind, address);
  const firstEmpty = fields.find(
    ({ name: field }) => start && valuesOf(start.settings, start.scopes)[field] === undefined,
  )?.name;
  const isComplete = inRows
    ? areComplete(rows, secrets)
    : fields.every(({ name: field, isOptional }) => isOptional === true || (values[field] ?? '') !== '');
  const save = useSave({
    send: async (): Promise<unknown> => {
      const common = {
        name: name.trim(),
        ...(isRekeyed && { key: key.trim() === '' ? null : key.trim() }),
        ...(isElsewhere && { endpoint: address === '' ? null : address }),
      };
      if (!link) {
        const body = { ...common, type: type.trim(), ...kindBody };
        const id = made ?? (await answerOf(api.POST('/api/v1/integrations', { body }))).id;
        setMade(id);
        return onMade?.(id);
      }
      const body = { ...common, ...((isNew || isShownElse) && kindBody) };
      return answerOf(api.PATCH('/api/v1/integrations/{id}', { params: { path: { id: link.id } }, body }));
    },
    stales: ['integrations'],
    says: () => `Saved: “${name.trim()}”.`,
    onClose,
  });
  const isTyped = link !== undefined || type.trim() !== '';
  return (
    <FormDialog
      title={link ? `Change “${link.Name}”` : (title ?? 'New integration')}
      help="docs/integrations.md#kinds-of-links"
      action={link ? 'Save' : onMade ? 'Connect' : 'Make the integration'}
      size="md"
      isReady={name.trim() !== '' && isTyped && (isComplete || !needsSecret)}
      isPending={save.isPending}
      isDirty={
        type !== (start?.type ?? '') ||
        isNew ||
        isShownElse ||
        isRekeyed ||
        name !== (link?.Name ?? start?.name ?? '') ||
        endpoint !== (link?.Endpoint ?? start?.endpoint ?? '')
      }
      error={save.error}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      {children}
      {!link && (
        <TextInput
          label="Type"
          description="What it is a link to, for example smtp or slack."
          required
          data-autofocus={start === undefined || undefined}
          value={type}
          error={faultOf(save.error, 'type')}
          onChange={(event) => setType(event.currentTarget.value)}
        />
      )}
      <TextInput
        label="Name"
        required
        value={name}
        error={faultOf(save.error, 'name')}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label="Key"
        description="Your own name for it, by which layers and flow documents may name the link, also in other installations. Empty: none."
        placeholder="billing-api"
        spellCheck={false}
        value={key}
        error={faultOf(save.error, 'key')}
        onChange={(event) => setKey(event.currentTarget.value)}
      />
      <TextInput
        label="Endpoint"
        description="Only where it is not the one of the service itself; of a database postgres://host:port/database or mysql://host:port/database."
        placeholder="https://api.example.org"
        value={endpoint}
        error={faultOf(save.error, 'endpoint')}
        onChange={(event) => setEndpoint(event.currentTarget.value)}
      />
      {!link && (
        <Select
          label="How requests show the credentials"
          data={KIND_CHOICES}
          allowDeselect={false}
          value={kind}
          onChange={(next) => setKind(next ?? 'bearer')}
        />
      )}
      {fields.map(({ name: field, label, description, isSecret, isOptional, choices }) => {
        const set = (value: string): void => setValues((before) => ({ ...before, [field]: value }));
        const fault =
          faultOf(save.error, field) ??
          faultOf(save.error, `settings.${field}`) ??
          faultOf(save.error, `secrets.${field}`);
        if (choices) {
          return (
            <Select
              key={field}
              label={label}
              description={description}
              data={choices}
              allowDeselect={false}
              value={values[field] ?? choices[0]?.value ?? null}
              error={fault}
              onChange={(next) => set(next ?? '')}
            />
          );
        }
        const Input = isSecret ? PasswordInput : TextInput;
        return (
          <Input
            key={field}
            label={link && isSecret ? `New ${label.toLowerCase()}` : label}
            description={link && isSecret ? stays : description}
            required={needsSecret && !isOptional}
            data-autofocus={(start !== undefined && field === firstEmpty) || undefined}
            autoComplete="off"
            value={values[field] ?? ''}
            error={fault}
            onChange={(event) => set(event.currentTarget.value)}
          />
        );
      })}
      {kind === 'aws_sigv4' && values.role_arn && (
        <p className="soft">
          The trust policy of the role has to demand the external id <code>weft-{me.company_id}</code>.
        </p>
      )}
      {inRows && (
        <HeaderRows
          {...{ rows, secrets }}
          says={link && stays}
          faultAt={(path) => faultOf(save.error, path)}
          onRows={setRows}
          onSecrets={setSecrets}
        />
      )}
    </FormDialog>
  );
}

interface HeaderRowsProps {
  readonly rows: readonly HeaderRow[];
  readonly secrets: Secrets;
  /** What becomes of the secrets that a link has. */
  readonly says?: string;
  readonly faultAt: (path: string) => string | undefined;
  readonly onRows: (rows: readonly HeaderRow[]) => void;
  readonly onSecrets: (secrets: Secrets) => void;
}

function HeaderRows({ rows, secrets, says, faultAt, onRows, onSecrets }: HeaderRowsProps) {
  const change = (at: number, part: Partial<HeaderRow>) =>
    onRows(rows.map((row, i) => (i === at ? { ...row, ...part } : row)));
  const names = [...new Set(rows.flatMap(({ text }) => namesIn(text)))];
  return (
    <fieldset className={form.choices}>
      <legend>Headers with keys</legend>
      {rows.map(({ header, text }, i) => (
        <div key={i} className={form.two}>
          <TextInput
            label={`Header ${i + 1}`}
            placeholder="X-Api-Key"
            autoComplete="off"
            value={header}
            error={faultAt(`settings.headers.${header.trim()}`)}
            onChange={(event) => change(i, { header: event.currentTarget.value })}
          />
          <TextInput
            label={`Text ${i + 1}`}
            autoComplete="off"
            value={text}
            error={namesIn(text).length === 0 && 'Write a key as {{name}}, such as {{key_1}}.'}
            onChange={(event) => change(i, { text: event.currentTarget.value })}
          />
        </div>
      ))}
      <Button variant="default" onClick={() => onRows(withRow(rows))}>
        Another header
      </Button>
      {names.map((name) => (
        <PasswordInput
          key={name}
          label={`Key ${name}`}
          description={says}
          autoComplete="off"
          value={secrets[name] ?? ''}
          error={faultAt(`secrets.${name}`)}
          onChange={(event) => onSecrets({ ...secrets, [name]: event.currentTarget.value })}
        />
      ))}
    </fieldset>
  );
}
