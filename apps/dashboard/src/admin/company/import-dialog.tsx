import { Button, FileButton } from '@mantine/core';
import { useState } from 'react';
import { answerOf, api } from '../../api/client';
import { sendFile } from '../../api/send-file';
import { bytesText } from '../../ui/bytes';
import { FormDialog } from '../../ui/form-dialog';
import { NameField } from '../../ui/name-field';
import { useSave } from '../../ui/use-command';
import { COMPANIES_KEY } from './company';

/** Makes a company of the file of an export, here or of another installation. */
export function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const given = name.trim();
  const save = useSave({
    send: async () => {
      if (!file) return;
      const { $ref } = await sendFile(file);
      await answerOf(api.POST('/api/v1/companies/import', { body: { name: given, file: $ref } }));
    },
    stales: COMPANIES_KEY,
    says: () => `“${given}” is being imported.`,
    onClose,
  });
  return (
    <FormDialog
      title="Import a company"
      action="Import"
      size="sm"
      isReady={given !== '' && file !== null}
      isPending={save.isPending}
      isDirty={name !== '' || file !== null}
      error={save.error}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <p className="soft">
        You become its admin. Its secrets stay behind: links, triggers and webhooks are to be given theirs, and users to
        be invited. Import only files of installations that you trust.
      </p>
      <NameField value={name} error={save.error} onChange={setName} />
      <div>
        <FileButton onChange={setFile} accept="application/gzip,.gz">
          {(props) => (
            <Button variant="default" {...props}>
              {file ? `${file.name}, ${bytesText(file.size)}` : 'Choose the file …'}
            </Button>
          )}
        </FileButton>
      </div>
    </FormDialog>
  );
}
