import { Button, Modal, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type SyntheticEvent } from 'react';
import { answerOf, api } from '../../api/client';
import { ErrorNotice } from '../../ui/error-notice';
import { CONFIG_KEY, settingText, valueOf, type Setting } from './setting';
import classes from '../admin.module.css';

interface SettingDialogProps {
  readonly setting: Setting;
  readonly onClose: () => void;
}

export function SettingDialog({ setting, onClose }: SettingDialogProps) {
  const queries = useQueryClient();
  const [text, setText] = useState(settingText(setting.value));
  const save = useMutation({
    mutationFn: () => {
      const body = { [setting.key]: valueOf(text.trim(), setting.value) };
      return answerOf(api.PATCH('/api/v1/admin/config', { body }));
    },
    onSuccess: ({ items }) => {
      queries.setQueryData(CONFIG_KEY, items);
      onClose();
    },
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Modal opened onClose={onClose} title={`Change ${setting.key}`} size="sm">
      <form onSubmit={submit} className={classes.form}>
        <TextInput
          label="Value"
          description={`It holds at once, in all processes. Default: ${settingText(setting.default)}`}
          required
          data-autofocus
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {save.isError && <ErrorNotice error={save.error} />}
        <Button type="submit" loading={save.isPending}>
          Save
        </Button>
      </form>
    </Modal>
  );
}
