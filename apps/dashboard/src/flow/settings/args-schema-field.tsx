import { Refusal } from '../../api/refusal';
import { SchemaOutline } from '../../apis/schema-outline';
import { JsonField } from '../../ui/json-field';
import { readObject } from '../../values/json-text';

interface ArgsSchemaFieldProps {
  readonly value: string;
  /** Of the request that sent it. */
  readonly error: unknown;
  readonly onChange: (text: string) => void;
}

/** The schema of the args, and what a run takes by it. */
export function ArgsSchemaField({ value, error, onChange }: ArgsSchemaFieldProps) {
  const errors = error instanceof Refusal ? (error.problem?.errors ?? []) : [];
  const fault = errors.find(({ path }) => path.startsWith('argsSchema'));
  const read = readObject(value);
  return (
    <>
      <JsonField
        label="Schema of the arguments"
        description="A JSON Schema that the arguments of a run have to fit; forms of runs and completion are made from it. Empty: any."
        value={value}
        onChange={onChange}
        error={fault && `${fault.path}: ${fault.message}`}
      />
      {value.trim() !== '' && 'value' in read && (
        <SchemaOutline title="What a run takes" always="required" schema={read.value} />
      )}
    </>
  );
}
