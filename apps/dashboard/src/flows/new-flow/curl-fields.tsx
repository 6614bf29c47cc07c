import { Textarea } from '@mantine/core';
import { jsonText } from '../../values/json-text';
import { readCurl } from './read-curl';
import classes from './new-flow.module.css';

interface CurlFieldsProps {
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/** A command as browsers and documents of services have them, and the layer that it becomes. */
export function CurlFields({ text, onChange }: CurlFieldsProps) {
  const read = readCurl(text);
  return (
    <>
      <Textarea
        label="Command"
        description="As the documents of a service have it, or a browser copies it (“Copy as cURL”)."
        placeholder={`curl https://api.example.com/orders -H 'accept: application/json'`}
        required
        autosize
        minRows={4}
        maxRows={12}
        maxLength={100_000}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        data-autofocus
        value={text}
        error={read !== null && 'fault' in read ? read.fault : undefined}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      {read !== null && !('fault' in read) && (
        <section aria-label="The layer that it becomes">
          <pre className={classes.args} tabIndex={0}>
            {jsonText(read.args)}
          </pre>
          {read.notes.map((note) => (
            <p key={note} className="soft">
              {note}
            </p>
          ))}
        </section>
      )}
    </>
  );
}
