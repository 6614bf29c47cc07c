import { Button, FileButton } from '@mantine/core';
import { JsonField } from '../../ui/json-field';
import { readObject, type ReadObject } from '../../values/json-text';
import classes from '../../ui/form.module.css';

interface ImportFieldsProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/** A document: a file, or its text. What the server finds wrong in it, it names by path. */
export function ImportFields({ text, onChange }: ImportFieldsProps) {
  const read = (file: File | null): void => {
    if (file) void file.text().then(onChange);
  };
  return (
    <>
      <div className={classes.row}>
        <FileButton onChange={read} accept="application/json,.json">
          {(props) => (
            <Button variant="default" {...props}>
              Choose a file …
            </Button>
          )}
        </FileButton>
        <span className="soft">The new flow is paused, so that you can look at it first.</span>
      </div>
      <JsonField label="Document" value={text} onChange={onChange} minRows={8} />
    </>
  );
}

/** An empty text is no document. */
export function readDocument(text: string): ReadObject {
  return text.trim() === '' ? { fault: 'A document is missing.' } : readObject(text);
}
