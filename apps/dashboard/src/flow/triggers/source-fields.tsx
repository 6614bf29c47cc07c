import { NumberInput, TextInput } from '@mantine/core';
import { faultOf } from '../../api/refusal';
import { LinkSelect } from '../../apis/link-select';
import { JsonField } from '../../ui/json-field';
import { source as bounds } from '../../ui/bounds.json' with { type: 'json' };
import { OF_TYPE, type SourceForm } from './source-body';

interface SourceFieldsProps {
  readonly form: SourceForm;
  readonly onChange: (fields: Partial<SourceForm>) => void;
  readonly error: unknown;
}

const LINKS: Readonly<Record<SourceForm['type'], string>> = {
  kafka: 'Its endpoint names the brokers, like kafka://kafka.example.com:9092.',
  sqs: 'Its keys sign the calls: of the kind aws_sigv4, for the service sqs.',
  poll: '',
  rss: 'Where the feed asks who reads it.',
  imap: 'Its endpoint is the mail server, like imaps://mail.example.com:993.',
};

interface TextOf {
  readonly label: string;
  readonly description?: string;
  readonly placeholder?: string;
}

const TEXT: Readonly<Record<'topic' | 'queueUrl' | 'url' | 'folder' | 'user' | 'items' | 'id' | 'cursor', TextOf>> = {
  topic: { label: 'Topic' },
  queueUrl: { label: 'Queue', placeholder: 'https://sqs.eu-central-1.amazonaws.com/123456789012/orders' },
  url: { label: 'Feed', description: 'RSS or Atom.', placeholder: 'https://example.com/feed.xml' },
  folder: { label: 'Folder', description: 'Empty: INBOX.' },
  user: { label: 'User', description: 'Whose mails they are, where the link has a token.' },
  items: { label: 'List', description: 'Where it is in the output of the call.' },
  id: { label: 'Id of an item', description: 'What tells it from all others.' },
  cursor: {
    label: 'Cursor',
    description: 'What the next call reads as $prev.args.cursor. Empty: each call is the same.',
    placeholder: '{{ .out.json.next }}',
  },
};

/** What is read, by the type of the trigger. */
export function SourceFields({ form, onChange, error }: SourceFieldsProps) {
  const { needs, may, link, isAskedAgain } = OF_TYPE[form.type];
  return (
    <>
      {link !== 'none' && (
        <LinkSelect
          description={LINKS[form.type]}
          value={form.integrationId}
          error={error}
          onChange={(integrationId) => onChange({ integrationId })}
        />
      )}
      {form.type === 'poll' && (
        <JsonField
          label="Call"
          description="A layer: web-request, operation, or s3 with the op list. Expressions read $prev.args.cursor."
          value={form.request}
          error={faultOf(error, 'source.request')}
          onChange={(request) => onChange({ request })}
        />
      )}
      {[...needs, ...may].map((field) => (
        <TextInput
          key={field}
          {...TEXT[field]}
          required={needs.includes(field)}
          spellCheck={false}
          value={form[field]}
          error={faultOf(error, `source.${field}`)}
          onChange={(event) => onChange({ [field]: event.currentTarget.value })}
        />
      ))}
      {isAskedAgain && (
        <NumberInput
          label="Every"
          description="Seconds, after nothing new was found."
          min={bounds.everySeconds.min}
          max={bounds.everySeconds.max}
          value={form.everySeconds}
          error={faultOf(error, 'source.everySeconds')}
          onChange={(seconds) => onChange({ everySeconds: Number(seconds) || 0 })}
        />
      )}
    </>
  );
}
