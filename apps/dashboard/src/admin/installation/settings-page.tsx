import { Button, Checkbox, Skeleton, TextInput } from '@mantine/core';
import { OPERATOR } from '@weft/access';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../../api/client';
import { may, useMe } from '../../session/me';
import { ErrorNotice } from '../../ui/error-notice';
import { showError } from '../../ui/show-error';
import { Table } from '../../ui/table';
import { AdminPage } from '../admin-page';
import { SettingDialog } from './setting-dialog';
import { CONFIG_KEY, settingText, type Setting } from './setting';
import classes from '../admin.module.css';

export function SettingsPage() {
  return (
    <AdminPage at="/admin/settings" title="Settings">
      <p className="soft">
        Of the installation. Secrets are masked; most settings change with a restart only, some at once.
      </p>
      <Settings />
    </AdminPage>
  );
}

function Settings() {
  const me = useMe();
  const queries = useQueryClient();
  const [text, setText] = useState('');
  const [onlyChanged, setOnlyChanged] = useState(false);
  const [changing, setChanging] = useState<Setting | null>(null);
  const { data, error, refetch } = useQuery({
    queryKey: CONFIG_KEY,
    queryFn: async () => (await answerOf(api.GET('/api/v1/admin/config'))).items,
  });
  const takeBack = useMutation({
    mutationFn: (key: string) => answerOf(api.PATCH('/api/v1/admin/config', { body: { [key]: null } })),
    onError: showError,
    onSuccess: ({ items }) => queries.setQueryData(CONFIG_KEY, items),
  });
  if (error) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={300} radius="md" />;
  const shown = data.filter(
    ({ key, source }) => key.includes(text.trim().toLowerCase()) && (!onlyChanged || source !== 'default'),
  );
  const isOperator = may(me, OPERATOR);
  return (
    <>
      <div className={classes.filters} role="search">
        <TextInput
          aria-label="Part of a name"
          placeholder="Part of a name"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Checkbox
          label="Only those that are not the default"
          checked={onlyChanged}
          onChange={(event) => setOnlyChanged(event.currentTarget.checked)}
        />
        <span className="soft num">
          {shown.length} of {data.length}
        </span>
      </div>
      <Table
        caption="Settings"
        hideCaption
        columns={['Setting', 'Value', 'Comes from', 'Default', ...(isOperator ? [''] : [])]}
        empty="No setting matches."
        rows={shown.map((setting) => ({
          key: setting.key,
          cells: [
            <code key="key">{setting.key}</code>,
            <code key="value">{settingText(setting.value)}</code>,
            setting.source,
            <code key="default" className="soft">
              {settingText(setting.default)}
            </code>,
            ...(isOperator
              ? [
                  setting.changeable && (
                    <span key="do" className={classes.row}>
                      <Button variant="default" onClick={() => setChanging(setting)}>
                        Change …
                      </Button>
                      {setting.source === 'run time' && (
                        <Button
                          variant="default"
                          loading={takeBack.isPending}
                          onClick={() => takeBack.mutate(setting.key)}
                        >
                          Take back
                        </Button>
                      )}
                    </span>
                  ),
                ]
              : []),
          ],
        }))}
      />
      {changing && <SettingDialog setting={changing} onClose={() => setChanging(null)} />}
    </>
  );
}
