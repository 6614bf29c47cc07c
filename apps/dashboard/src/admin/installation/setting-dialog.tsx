import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { answerOf, api } from '../../api/client';
import { FormDialog } from '../../ui/form-dialog';
import { useSave } from '../../ui/use-command';
import { CONFIG_KEY, settingText, valueOf, type Setting } from './setting';

interface SettingDialogProps {
  readonly setting: Setting;
  readonly onClose: () => void;
}

export function SettingDialog({ setting, onClose }: SettingDialogProps) {
  const filledIn = settingText(setting.value);
  const [text, setText] = useState(filledIn);
  const save = useSave({
    send: () => {
      const body = { [setting.key]: valueOf(text.trim(), setting.value) };
      return answerOf(api.PATCH('/api/v1/admin/config', { body }));
    },
    stales: CONFIG_KEY,
    says: () => `Saved: ${setting.key}.`,
    onClose,
  });
  return (
    <FormDialog
      title={`Change ${setting.key}`}
      help="docs/reference/configuration.md"
      action="Save"
      size="sm"
      isReady={text.trim() !== ''}
      isPending={save.isPending}
      isDirty={text !== filledIn}
      error={save.error}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <TextInput
        label="Value"
        description={`It holds at once, in all processes. Default: ${settingText(setting.default)}`}
        required
        data-autofocus
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
