import { Button, SegmentedControl, Select, Switch, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { answerOf, api } from '../../api/client';
import { linksQuery } from '../../api/links-query';
import { useFlowName } from '../../flows/flow-names';
import { useMe } from '../../session/me';
import { ErrorNotice } from '../../ui/error-notice';
import { FormDialog } from '../../ui/form-dialog';
import { ifMatch, showChanged, type Flow } from '../queries';
import { handlerFor, type Told } from './handler';
import { useToldHere } from './told-here';

interface TellDialogProps {
  readonly flow: Flow;
  /** Whether the caller may change the flow, which is how a mail or a message is set up. */
  readonly mayEdit: boolean;
  readonly onClose: () => void;
}

const WAYS = [
  { value: 'mail', label: 'E-mail' },
  { value: 'message', label: 'Chat message' },
  { value: 'browser', label: 'This browser' },
] as const;
type Way = (typeof WAYS)[number]['value'];

/** Who hears of it when a play of the flow fails: one message for each cause and hour. */
export function TellDialog({ flow, mayEdit, onClose }: TellDialogProps) {
  const me = useMe();
  const queries = useQueryClient();
  const [way, setWay] = useState<Way>(mayEdit ? 'mail' : 'browser');
  const [link, setLink] = useState<string | null>(null);
  const [to, setTo] = useState(me.user.email);
  const links = useQuery({ ...linksQuery, retry: false, enabled: mayEdit });
  const fitting = (links.data ?? []).filter(({ IntegrationType: type, Endpoint }) =>
    way === 'mail' ? type === 'smtp' || /^smtps?:/.test(Endpoint ?? '') : type !== 'smtp',
  );
  const change = useMutation({
    mutationFn: async (told: Told | null) => {
      const onFailure = told === null ? null : (await handlerFor(told, flow.restricted)).id;
      const place = { params: { path: { id: flow.id }, header: ifMatch(flow) } };
      return answerOf(api.PATCH('/api/v1/flows/{id}', { ...place, body: { settings: { onFailure } } }));
    },
    onSuccess: (now, told) => {
      showChanged(queries, now);
      notifications.show({
        message: told === null ? 'Nobody is told any more.' : 'You are told of the next play that fails.',
      });
      onClose();
    },
  });
  const told: Told | null =
    link === null || way === 'browser'
      ? null
      : way === 'mail'
        ? { by: 'mail', link, to: to.trim() }
        : { by: way, link };
  const handler = flow.settings.onFailure;
  return (
    <FormDialog
      title="Tell me when it fails"
      help="docs/recipes.md#messages-about-failures"
      action={way === 'browser' ? 'Done' : handler === null ? 'Tell me' : 'Tell me instead'}
      error={change.error}
      isPending={change.isPending}
      isReady={way === 'browser' || (told !== null && (told.by === 'message' || told.to !== ''))}
      isDirty={link !== null}
      size="md"
      onSubmit={() => (told === null ? onClose() : change.mutate(told))}
      onClose={onClose}
    >
      <p className="soft">
        One message for each cause (layer and error code) in an hour. Plays that somebody cancels do not count.
      </p>
      {mayEdit && (
        <SegmentedControl
          aria-label="How"
          data={[...WAYS]}
          value={way}
          onChange={(value) => {
            setWay(value);
            setLink(null);
          }}
        />
      )}
      {way !== 'browser' && handler !== null && (
        <Handler id={handler} isPending={change.isPending} onStop={() => change.mutate(null)} />
      )}
      {way === 'browser' ? (
        <Here flowId={flow.id} />
      ) : (
        <>
          {links.error && <ErrorNotice error={links.error} />}
          <Select
            label={way === 'mail' ? 'Mail server' : 'Chat'}
            description={
              way === 'mail'
                ? 'An integration link to an SMTP server.'
                : 'An integration link whose secret is the address of an incoming webhook.'
            }
            placeholder={links.isSuccess && fitting.length === 0 ? 'There is no such link yet' : 'Choose a link'}
            required
            searchable
            data={fitting.map(({ id, Name, IntegrationType }) => ({
              value: id,
              label: `${Name} (${IntegrationType})`,
            }))}
            value={link}
            onChange={setLink}
          />
          {links.isSuccess && fitting.length === 0 && (
            <p className="soft">
              Links are made under <Link to="/admin/integrations">Integrations</Link>.
            </p>
          )}
          {way === 'mail' && (
            <TextInput
              label="To"
              type="email"
              required
              maxLength={254}
              value={to}
              onChange={(event) => setTo(event.currentTarget.value)}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}

interface HandlerProps {
  readonly id: string;
  readonly isPending: boolean;
  readonly onStop: () => void;
}

/** What happens with failures now. */
function Handler({ id, isPending, onStop }: HandlerProps) {
  const name = useFlowName(id);
  return (
    <p>
      Failures are handled by{' '}
      <Link to="/flows/$flowId" params={{ flowId: id }}>
        {name}
      </Link>
      : a new choice takes its place.{' '}
      <Button variant="default" size="compact-xs" loading={isPending} onClick={onStop}>
        Stop
      </Button>
    </p>
  );
}

function Here({ flowId }: { readonly flowId: string }) {
  const { flows, isFull, set } = useToldHere();
  const [permission, setPermission] = useState(() => ('Notification' in window ? Notification.permission : 'denied'));
  const isTold = flows.includes(flowId);
  const toggle = async (next: boolean): Promise<void> => {
    const now = next ? await Notification.requestPermission() : permission;
    setPermission(now);
    set(flowId, next && now === 'granted');
  };
  return (
    <>
      <Switch
        label="Notifications of this browser, while a page of Weft is open in it"
        checked={isTold && permission === 'granted'}
        disabled={permission === 'denied' || (isFull && !isTold)}
        onChange={(event) => void toggle(event.currentTarget.checked)}
      />
      {permission === 'denied' && (
        <p className="soft">
          This browser shows no notifications of this site: allow them in its settings. It may show them over https
          only.
        </p>
      )}
    </>
  );
}
