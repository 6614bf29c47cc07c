import { Button } from '@mantine/core';
import { SchemaOutline } from '../../apis/schema-outline';
import { JsonField } from '../../ui/json-field';
import { jsonText, readObject } from '../../values/json-text';
import classes from '../../ui/form.module.css';

interface ArgsSchemaFieldProps {
  readonly value: string;
  /** Why it was refused, and where. */
  readonly fault: string | undefined;
  readonly isReadOnly: boolean;
  readonly onChange: (text: string) => void;
}

const EXAMPLE = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'string', description: 'Of the order.' }, count: { type: 'integer', minimum: 1 } },
};

/** The schema of the args, and what a run takes by it. */
export function ArgsSchemaField({ value, fault, isReadOnly, onChange }: ArgsSchemaFieldProps) {
  const read = readObject(value);
  const isEmpty = value.trim() === '';
  return (
    <>
      <JsonField
        label="Schema of the arguments"
        description="A JSON Schema that the arguments of a run have to fit; forms of runs and completion are made from it. Empty: any."
        value={value}
        onChange={onChange}
        error={fault}
      />
      {isEmpty && !isReadOnly && (
        <div className={classes.row}>
          <Button size="compact-sm" variant="default" onClick={() => onChange(jsonText(EXAMPLE))}>
            Begin with an example
          </Button>
        </div>
      )}
      {!isEmpty && 'value' in read && <SchemaOutline title="What a run takes" always="required" schema={read.value} />}
    </>
  );
}
