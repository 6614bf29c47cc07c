import { Button, FileButton, SegmentedControl, Textarea, TextInput } from '@mantine/core';
import { faultOf } from '../api/refusal';
import { bytesText } from '../ui/bytes';
import { tooLarge, type DocumentDraft, type DocumentPlace } from './document-draft';
import classes from '../ui/form.module.css';

const PLACES: readonly { readonly value: DocumentPlace; readonly label: string }[] = [
  { value: 'same', label: 'As before' },
  { value: 'url', label: 'Address' },
  { value: 'file', label: 'File' },
  { value: 'text', label: 'Text' },
];

interface DocumentFieldsProps {
  readonly document: DocumentDraft;
  /** The address that it has now; undefined: it has none, or is not imported yet. */
  readonly before?: string | undefined;
  /** Of the request that sent it. */
  readonly error: unknown;
  readonly onChange: (fields: Partial<DocumentDraft>) => void;
}

/** An OpenAPI document: its address, a file, or its text. */
export function DocumentFields({ document, before, error, onChange }: DocumentFieldsProps) {
  const { from, url, file, text } = document;
  const size = tooLarge(document);
  const read = (chosen: File | null): void => {
    if (chosen) onChange({ file: chosen });
  };
  return (
    <>
      <SegmentedControl
        aria-label="Where the document is"
        fullWidth
        data={PLACES.filter(({ value }) => value !== 'same' || before !== undefined)}
        value={from}
        onChange={(next) => onChange({ from: next })}
      />
      {from === 'same' && (
        <p className="soft" style={{ overflowWrap: 'anywhere' }}>
          From {before}
        </p>
      )}
      {from === 'url' && (
        <TextInput
          label="Address of the OpenAPI document"
          description="JSON or YAML. Weft fetches it: an address that is public, or that the operator allows."
          required
          type="url"
          spellCheck={false}
          data-autofocus
          placeholder="https://api.example.com/openapi.json"
          value={url}
          error={faultOf(error, 'source.url')}
          onChange={(event) => onChange({ url: event.currentTarget.value })}
        />
      )}
      {from === 'file' && (
        <div className={classes.row}>
          <FileButton
            onChange={read}
            accept=".json,.yaml,.yml,.txt,.zip,.tar,.gz,.tgz,application/json,application/yaml"
          >
            {(props) => (
              <Button variant="default" {...props}>
                Choose a file …
              </Button>
            )}
          </FileButton>
          <span className={file ? undefined : 'soft'} style={{ overflowWrap: 'anywhere' }}>
            {file
              ? `${file.name}, ${bytesText(file.size)}`
              : 'JSON or YAML, or a .zip or .tar.gz with all parts, up to 16 MB.'}
          </span>
        </div>
      )}
      {from === 'text' && (
        <Textarea
          label="Text of the OpenAPI document"
          description="JSON or YAML."
          required
          data-autofocus
          autosize
          minRows={8}
          maxRows={16}
          spellCheck={false}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', lineHeight: 1.5 } }}
          value={text}
          onChange={(event) => onChange({ text: event.currentTarget.value })}
        />
      )}
      {size !== null && <p role="alert">{size}</p>}
    </>
  );
}
