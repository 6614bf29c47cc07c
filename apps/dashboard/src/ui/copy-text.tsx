import { useClipboard } from '@mantine/hooks';
import { Icon } from './icon';
import classes from './copy-text.module.css';

interface CopyTextProps {
  readonly text: string;
  /** What is shown, where the whole text is too long. */
  readonly shown?: string;
}

/** A text that one click copies. */
export function CopyText({ text, shown }: CopyTextProps) {
  const { copy, copied } = useClipboard({ timeout: 1_500 });
  return (
    <button type="button" className={classes.copy} onClick={() => copy(text)} title={`Copy ${text}`}>
      <code>{shown ?? text}</code>
      <Icon name={copied ? 'check' : 'copy'} size={13} />
      <span className="sr-only" aria-live="polite">
        {copied ? 'Copied' : 'Copy'}
      </span>
    </button>
  );
}
